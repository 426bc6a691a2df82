"""What ordinary programs do: templates of statements by theme, for the kinds of expressions of fuzz_ordinary_values."""

from __future__ import annotations

ASSIGN = (
    "$y = <v+>\n-> $y:v", "$y = <v+>\n-> $y:v", "$h = <v+>\n-> $h:v", "$out = <v+>\n-> $out:v", "$total = <s+>\n-> $total:s", "$norm = <s+>\n-> $norm:s", "$scale = <f>\n-> $scale:f",
    "$loss = <f+>\n-> $loss:f", "$count = <i>\n-> $count:i", "$steps = <i+>\n-> $steps:i", "$ok = <b+>\n-> $ok:b", "$done = False\n-> $done:b", "$mask = <c+>\n-> $mask:c", "$idx = <z+>\n-> $idx:z",
    "$mat = <w+>\n-> $mat:w", "$gram = <q+>\n-> $gram:q", "$mode = <t>\n-> $mode:t", "$parts = <l+>\n-> $parts:l", "$values = <L+>\n-> $values:L", "$table = <d+>\n-> $table:d",
    "$pair = <p+>\n-> $pair:p", "$best = None\n-> $best:o", "$best = <o>\n-> $best:o", "$act = <g>\n-> $act:g", "<var:v> = <v+>", "<var:v> = <v+>", "<var:s> = <s+>", "<var:f> = <f>", "<var:f> = <f+>",
    "<var:i> = <i+>", "<var:o> = <v+>", "<var:b> = <b>", "<var:t> = <t>", "<var:v> = <v+>", "<var:s> = <s> + <n>", "<var:f> += <f>", "<var:i> += 1", "<var:i> -= <h>", "<var:f> *= 0.5", "<var:t> += '!'",
    "$a, $b = <v+>, <v+>\n-> $a:v $b:v", "$a, $f = <p>\n-> $a:v $f:f", "$lo, $hi = <v>.min(), <v>.max()\n-> $lo:s $hi:s", "$whole, $rest = divmod(<i>, 3)\n-> $whole:i $rest:i", "$a, $b, $c = <v>\n-> $a:s $b:s $c:s",
    "$lo = $hi = <f>\n-> $lo:f $hi:f", "$y: LIBCLASS = <v+>\n-> $y:v", "$first, *$others = <l>\n-> $first:v", "$count: int = <i>\n-> $count:i", "$row, $row2 = <w>\n-> $row:v $row2:v",
    "($a, $f), $i = <p>, <i>\n-> $a:v $f:f $i:i", "<var:v>, $old = <v+>, <v+>\n-> $old:v", "$y = (<v>\n    * <n>\n    + <v>)\n-> $y:v", "$y = $z = <v+>\n-> $y:v", "$label = <t+>\n-> $label:t",
    "$eps = 1e-3\n$y = <v> / (<s> ** 2 + $eps)\n-> $y:v", "_, $top = min(<L>), max(<L>)\n-> $top:f", "$n_pos = int((<v> > 0).sum())\n-> $n_pos:i", "$ratio = <i> / max(<i>, 1)\n-> $ratio:f",
)  # fmt: skip
CONTROL = (
    "if <b>:\n    <block>", "if <b>:\n    <block>", "if <b>:\n    <block>\nelse:\n    <block>", "if <b>:\n    <block>\nelif <b>:\n    <block>\nelse:\n    <block>",
    "if <b>:\n    $y = <v+>\nelse:\n    $y = <v+>\n-> $y:v", "if <b>:\n    $scale = <f>\nelse:\n    $scale = <f>\n-> $scale:f", "if <b>:\n    $r = <s+>\nelif <b>:\n    $r = <s+>\nelse:\n    $r = <s+>\n-> $r:s",
    "if <b>:\n    return <result>", "if <b>:\n    <block>\n    return <result>", "if <b>:\n    <var:v> = <v+>", "if <b>:\n    <var:f> = <f>", "if <b>:\n    <var:i> += 1\nelse:\n    <var:i> = 0",
    "if <b>:\n    <var:o> = <v+>", "if <o> is None:\n    <block>", "if <b>:\n    % needs loop\n    break", "if <b>:\n    % needs loop\n    continue", "if <b>:\n    % needs loop\n    <block>\n    break",
    "if not <b>:\n    raise ValueError('bad input')" , "if <K> > 5:\n    raise ValueError(f\"K = {<K>}\")", "assert <v>.shape == (3,)", "assert len(<l>) < 1000, 'too many'",
    "if ($cur := <s+>) > <n>:\n    % $cur:s\n    <block>", "if ($m := <f+>) > 0 and <b>:\n    <var:f> = $m", "$y = <v+> if <b> else <v+>\n-> $y:v", "$y = <o>\nif $y is None:\n    $y = <v+>\n-> $y:v",
    "match <i>:\n    case 0:\n        <block>\n    case 1 | 2:\n        <block>\n    case _:\n        <block>", "match <t>:\n    case 'up':\n        <block>\n    case 'down':\n        <block>",
    "match <p>:\n    case (a, b) if b > 0:\n        % a:v b:f\n        <block>\n    case _:\n        <block>", "match <d>:\n    case {'a': a, **rest}:\n        % a:v\n        <block>",
    "match <l>:\n    case [a]:\n        % a:v\n        <block>\n    case [a, *rest]:\n        % a:v\n        <block>", "with nullcontext():\n    <block>", "pass", "match (<K>, <t>):\n    case (0, _):\n        <block>\n    case (_, 'up'):\n        <block>",
    "if <b>:\n    if <b>:\n        return <result>\n    <block>", "$mode = 'up' if <b> else 'down'\nif $mode == 'up':\n    <block>\nelse:\n    <block>\n-> $mode:t", "if <b>:\n    <block>\nelse:\n    return <result>",
)  # fmt: skip
LOOPS = (
    "for $i in range(3):\n    % $i:h loop\n    <block>", "for $i in range(<K>):\n    % $i:i loop\n    <block>", "for $i in range(<N>):\n    % $i:i loop\n    <block>", "for _ in range(2):\n    % loop\n    <block>",
    "for $i in range(len(<l>)):\n    % $i:i loop\n    <block>", "for $i in range(1, <K> + 1):\n    % $i:i loop\n    <block>", "for $i in range(min(<i>, 4)):\n    % $i:i loop\n    <block>", "for $i in range(<v>.shape[0]):\n    % $i:h loop\n    <block>",
    "for $e in <v>:\n    % $e:s loop\n    <block>", "for $row in <w>:\n    % $row:v loop\n    <block>", "for $t in <l>:\n    % $t:v loop\n    <block>", "for $i, $t in enumerate(<l>):\n    % $i:i $t:v loop\n    <block>",
    "for $a, $b in zip(<v>, <v>):\n    % $a:s $b:s loop\n    <block>", "for $i, ($a, $b) in enumerate(zip(<l>, <l>)):\n    % $i:i $a:v $b:v loop\n    <block>", "for $name, $t in <d>.items():\n    % $name:t $t:v loop\n    <block>",
    "for $key in ('a', 'b'):\n    % loop\n    <var:d>[$key] = <v+>", "for $f in <L>:\n    % $f:f loop\n    <block>", "for $by in (0.5, 1.0, 2.0):\n    % $by:f loop\n    <block>", "for $i in reversed(range(3)):\n    % $i:h loop\n    <block>",
    "for $e in <v>.tolist():\n    % $e:f loop\n    <block>", "for $i, $e in enumerate(<v>, 1):\n    % $i:i $e:s loop\n    <block>", "for $t in <d>.values():\n    % $t:v loop\n    <block>", "for $a, $b in itertools.combinations(<l>, 2):\n    % $a:v $b:v loop\n    <block>",
    "$c = 0\nwhile $c < 3 and <b>:\n    % $c:h loop\n    $c += 1\n    <block>\n-> $c:i", "$c = <i>\nwhile $c > 0:\n    % $c:i loop\n    $c = min($c, 4) - 1\n    <block>\n-> $c:i", "$r = <s+>\nwhile abs($r) > 1.0:\n    $r = $r * 0.5\n-> $r:s",
    "$tries = 0\nwhile True:\n    % $tries:i loop\n    $tries += 1\n    if $tries >= 3 or <b>:\n        break\n    <block>\n-> $tries:i", "$f = <f+>\n$halved = 0\nwhile abs($f) > 0.5 and $halved < 40:\n    $f /= 2\n    $halved += 1\n-> $f:f $halved:i",
    "for $i in range(3):\n    % $i:h loop\n    <block>\nelse:\n    <block>", "for $t in <l>:\n    % $t:v loop\n    if <b>:\n        break\nelse:\n    <block>", "for $i in range(3):\n    % $i:h\n    if <b>:\n        return <result>",
    "$found = None\nfor $t in <l>:\n    % $t:v loop\n    if <b>:\n        $found = $t\n        break\n-> $found:o", "$big = <f>\nfor $e in <L>:\n    if $e > $big:\n        $big = $e\n-> $big:f", "$acc = lib.zeros_like(<v>)\nfor $i in range(3):\n    % $i:h $acc:v loop\n    $acc = $acc + <v+>\n-> $acc:v",
    "$total = 0.0\nfor $e in <v>:\n    % $e:s\n    $total += float($e) * <f>\n-> $total:f", "$hits = 0\nfor $e in <v>:\n    % $e:s\n    if $e > <n>:\n        $hits += 1\n-> $hits:i", "$prev = <v+>\nfor $t in <l>:\n    % $t:v $prev:v loop\n    $cur = <v+>\n    $prev, $cur = $cur, $prev\n-> $prev:v",
    "for $i in range(2):\n    for $j in range(3):\n        % $i:h $j:h loop\n        <block>", "for $i in itertools.count():\n    % $i:i loop\n    if $i >= <K> or <b>:\n        break\n    <block>", "$s = <s>\nfor $i in range(3):\n    $s = $s + <v>[$i] * $i\n-> $s:s",
    "$tries = 0\nwhile $tries < 5:\n    % $tries:i loop\n    $tries += 1\n    <block>\n    if $tries > 1 and <b>:\n        break\n-> $tries:i", "$n = 0\nwhile True:\n    % $n:i loop\n    $n += 1\n    <block>\n    if $n > 2 and (<b> or $n > 4):\n        break\n-> $n:i",
    "for $i in range(4):\n    % $i:h\n    <block>\n    if $i == 2 and <b>:\n        return <result>", "$n = 0\nwhile $n < 4:\n    % $n:i\n    $n += 1\n    if $n == 2:\n        if <b>:\n            return <result>\n    <block>", "for $i, $e in zip(itertools.count(1), <v>):\n    % $i:h $e:s loop\n    <block>",
)  # fmt: skip
CONTAINERS = (
    "<var:l>.append(<v+>)", "<var:l>.append(<v+>)", "<var:l>[0] = <v+>", "<var:l>[-1] = <l>[-1] * <n>", "<var:l>.extend([<v+>, <v+>])", "<var:l>.insert(0, <v+>)", "<var:l>.append(<v+>)\n$last = <var:l>.pop(0)\n-> $last:v",
    "<var:d>['a'] = <v+>", "<var:d>['b'] = <d>['a'] * <n>", "<var:d>.update(a=<v+>)", "<var:d>['c'] = <v+>", "$y = <var:d>.setdefault('a', <v>)\n-> $y:v", "$gone = <var:d>.pop('c', None)\n-> $gone:o",
    "$outs = []\nfor $t in <l>:\n    % $t:v\n    $outs.append(<v+>)\n$y = lib.stack($outs).sum(axis=0)\n-> $y:v $outs:l", "$outs = []\nfor $i in range(3):\n    % $i:h loop\n    <block>\n    $outs.append(<v+>)\n-> $outs:l",
    "$outs = []\nfor $e in <v>:\n    % $e:s\n    if $e > <n>:\n        $outs.append(<s+>)\n    else:\n        $outs.append($e)\n$y = lib.stack($outs)\n-> $y:v",
    "$seen = set()\nfor $i in (1, 2, 1):\n    if $i in $seen:\n        continue\n    $seen.add($i)\n$count = len($seen)\n-> $count:i", "$groups = collections.defaultdict(list)\nfor $i, $t in enumerate(<l>):\n    $groups[$i % 2].append($t)\n$y = sum($groups[0])\n-> $y:v",
    "$counts = collections.Counter(<t>)\n$most = max($counts.values())\n-> $most:i", "<var:L>.append(<f>)", "<var:L>[0] = <f+>", "<var:L>.sort()", "<var:l>.reverse()", "<var:L> += [<f>]",
    "$it = iter(<l>)\n$y = next($it)\nfor $t in $it:\n    $y = $y + $t\n-> $y:v", "$acc = {}\nfor $i, $e in enumerate(<v>):\n    $acc[$i] = $e * 2\n$s = sum($acc.values())\n-> $s:s",
    "$queue = collections.deque([<v+>], maxlen=2)\n$queue.append(<v+>)\n$queue.append(<v+>)\n$y = $queue[0]\n-> $y:v", "$table = {}\n$table['a'] = <v+>\nif <b>:\n    $table['b'] = <v+>\nelse:\n    $table['b'] = <v+>\n-> $table:d",
    "$ordered = sorted(<d>.items(), key=lambda pair: pair[0], reverse=True)\n$y = $ordered[0][1]\n-> $y:v", "$names = [name for name in ('a', 'b') if name in <d>]\n$y = <d>[$names[0]]\n-> $y:v", "$stack = [(<v+>, 0)]\nwhile $stack:\n    $t, $depth = $stack.pop()\n    if $depth < 2:\n        $stack.append(($t * <n>, $depth + 1))\n-> $t:v",
    "if <v!>.sum() > 0:\n    <var:l>.append(<v+>)", "if <b>:\n    <var:d>['a'] = <v+>", "$y = max(<l>, key=lambda t: float(t.sum()))\n-> $y:v", "$order = sorted(range(3), key=lambda j: (j * <K>) % 3)\n$y = <v>[$order[0]]\n-> $y:s",
    "$chunks = [<v>[j:j + 2] for j in range(0, 3, 2)]\n$s = sum(chunk.sum() for chunk in $chunks)\n-> $s:s", "$pairs = list(zip(<L>, <L>))\n$f = sum(a * b for a, b in $pairs)\n-> $f:f", "$i, $best_t = max(enumerate(<L>), key=lambda pair: pair[1])\n-> $i:i $best_t:f",
)  # fmt: skip
FAILING = (
    "try:\n    if <b>:\n        raise ValueError('bad')\n    <block>\nexcept ValueError:\n    <block>", "try:\n    <block>\nfinally:\n    <block>", "try:\n    $inv = 1.0 / <f+>\nexcept ZeroDivisionError:\n    $inv = 0.0\n-> $inv:f",
    "try:\n    $y = <d>['c']\nexcept KeyError:\n    $y = <v+>\n-> $y:v", "try:\n    $y = <l>[3]\nexcept IndexError:\n    $y = <l>[0]\n-> $y:v", "try:\n    <var:v> = <v+>\n    if <b>:\n        raise RuntimeError\nexcept RuntimeError as e:\n    <var:v> = <v+>\nelse:\n    <block>",
    "for $i in range(3):\n    % $i:h loop\n    try:\n        if <b>:\n            raise StopIteration\n        <block>\n    except StopIteration:\n        break", "try:\n    assert <b>, 'no'\n    $f = <f>\nexcept AssertionError:\n    $f = -1.0\n-> $f:f",
    "try:\n    $f = math.sqrt(<f+>)\nexcept ValueError:\n    $f = 0.0\n-> $f:f", "try:\n    $i = int(<t>)\nexcept ValueError:\n    $i = -1\n-> $i:i", "try:\n    if <b>:\n        return <result>\nfinally:\n    <block>", "if <f> == 0:\n    raise ZeroDivisionError('zero')",
    "try:\n    $y = <g>(<v>)\nexcept (TypeError, ValueError):\n    $y = <v>\n-> $y:v",
)  # fmt: skip
FUNCTIONS = (
    "def $step(t, by=0.5):\n    % def t:v by:f result v\n    <block>\n    return <v+>\n$y = $step(<v>, <f>)\n-> $y:v $step:g", "def $pick(t):\n    % def t:v result v\n    if <b>:\n        return <v+>\n    return <v+>\n-> $pick:g", "$act = lambda t: <v+|t:v>\n-> $act:g",
    "$c = 0\ndef $bump(by=1):\n    nonlocal $c\n    $c += by\n    return $c\n$bump()\nif <b>:\n    $bump(2)\n-> $c:i", "def $gen(t):\n    % def t:v\n    for $i in range(3):\n        % $i:h\n        yield <v+>\nfor $t in $gen(<v>):\n    % $t:v loop\n    <block>",
    "def $total(*parts, scale=1.0, **extra):\n    return sum(parts) * scale + len(extra)\n$y = $total(<v>, <v>, scale=<n>)\n-> $y:v", "def $rec(t, depth):\n    % def t:v depth:i result v\n    if depth <= 0:\n        return <v>\n    if <b>:\n        t = <v+>\n    return $rec(t * 0.5, depth - 1)\n$y = $rec(<v>, 2)\n-> $y:v",
    "def $make(by):\n    def inner(t):\n        % def t:v by:f result v\n        <block>\n        return t * by\n    return inner\n$act = $make(<f>)\n-> $act:g", "$y = functools.reduce(lambda a, b: <v+|a:v b:v>, <l>)\n-> $y:v", "$args = (<v>, <n>)\n$y = (lambda a, b: a * b)(*$args)\n-> $y:v",
    "$opts = {'t': <v+>, 'by': <f>}\n$y = (lambda t, by: t * by)(**$opts)\n-> $y:v", "$fns = [lib.sin, lambda t: t * 2, <g>]\n$y = <v+>\nfor $fn in $fns:\n    % loop $y:v\n    $y = $fn($y)\n-> $y:v", "$y = <v+>\nfor $fn in (lib.sin, lib.cos):\n    if <b>:\n        $y = $fn($y)\n-> $y:v",
    "def $stats(t):\n    % def t:v\n    return t.mean(), {'max': t.max(), 'min': <s>}\n$mean, $info = $stats(<v>)\n$s = $info['max'] - $mean\n-> $s:s $mean:s", "$y, $f = (lambda t: (t * 2, <f>))(<v>)\n-> $y:v $f:f", "def $check(t, limit=<n>):\n    % def t:v\n    return <b>\nif $check(<v>):\n    <block>",
    "$cache = {}\ndef $cached(key):\n    if key not in $cache:\n        $cache[key] = <v> * key\n    return $cache[key]\n$y = $cached(1) + $cached(2) + $cached(1)\n-> $y:v", "$total = sum(x_j * w_j for x_j, w_j in zip(<v>, <v>))\n-> $total:s",
)  # fmt: skip
WRITES = {
    "torch": (
        "<var:v> = <var:v>.clone()", "$y = <v+> * 1.0\n$y[<h>] = <n>\n-> $y:v", "$y = <v>.clone()\n$y[1:] += <n>\n-> $y:v", "$y = <v>.clone()\n$y[:2] *= <n>\n$y[<c>] = 0.0\n-> $y:v", "$y = torch.zeros_like(<v>)\nfor $i in range(3):\n    % $i:h\n    $y[$i] = <s>\n-> $y:v",
        "$mat = <w>.clone()\n$mat[0] = <v>\n$mat[:, <h>] = <n>\n-> $mat:w", "$gram = <q>.clone()\n$row = $gram[<h>]\n$row += <v>\n-> $gram:q", "$y = <v> * 2\n$y.add_(<n>).mul_(0.5)\n-> $y:v", "$y = <v>.clone()\n$y.clamp_(-1, 1)\nif <b>:\n    $y.mul_(<n>)\n-> $y:v",
        "$y = <v>.clone()\n$view = $y[1:]\n$view.zero_()\n-> $y:v", "$y = <v>.clone()\n$y.copy_(<v>)\n-> $y:v", "$gram = torch.zeros(3, 3, dtype=<v!>.dtype)\nfor $i in range(3):\n    for $j in range($i + 1):\n        $gram[$i, $j] = <v>[$i] * <v>[$j]\n-> $gram:q", "<var:v>[<h>] = <n>", "<var:v>[1:] = <v>[1:]",
        "$y = <v>.clone()\nfor $i in range(1, 3):\n    $y[$i] += $y[$i - 1]\n-> $y:v", "$y = <v>.clone()\nif <b>:\n    $y[<h>] = <n>\nelse:\n    $y[1:] = <n>\n-> $y:v", "with torch.no_grad():\n    <block>", "$y = <v>.clone()\nwith torch.no_grad():\n    $y *= <n>\n-> $y:v",
        "with torch.no_grad():\n    $ref = <v+>\n-> $ref:v", "$y = <v>.detach().clone()\n-> $y:v", "<var:v> += <n>", "<var:v> *= <n>", "<var:v> -= <v>", "$y = <v>.masked_fill(<c>, <f>)\n-> $y:v", "$values, $where = torch.topk(<v>, 2)\n$s = $values.sum()\n-> $s:s", "$a, $b = torch.split(<v>, [1, 2])\n$s = $a.sum() - $b.sum()\n-> $s:s",
        "$gram = <q>.clone()\n$gram.fill_diagonal_(0.0)\n-> $gram:q", "$gram = <q>.clone()\n$gram[<c>] = <v>\n-> $gram:q", "$flat = <w>.contiguous().clone()\n$flat.view(-1)[<h>] = <n>\n-> $flat:w",
    ),
    "jax": (
        "<var:v> = <var:v>.at[<h>].set(<n>)", "$y = <v>.at[1:].add(<n>)\n-> $y:v", "$y = jnp.zeros_like(<v>)\nfor $i in range(3):\n    % $i:h\n    $y = $y.at[$i].set(<s>)\n-> $y:v", "$mat = <w>.at[0].set(<v>).at[:, <h>].multiply(<n>)\n-> $mat:w", "<var:v> += <n>", "<var:v> *= <n>", "<var:s> += <n>",
        "$y = jax.lax.fori_loop(0, <K>, lambda j, c: c * 0.5 + <f!>, <v>)\n-> $y:v", "$y = jax.lax.cond(<v>.sum() > 0, lambda t: t * 2, lambda t: t + <f!>, <v>)\n-> $y:v", "$carry, $ys = jax.lax.scan(lambda c, e: (c + e, c * e), <v>.sum(), <v>)\n-> $carry:s $ys:v", "$y = jax.vmap(lambda e: jnp.where(e > 0, e, -e))(<v>)\n-> $y:v",
        "$gram = <q>.at[<h>, <h>].add(<n>)\n-> $gram:q", "$grad = jax.grad(lambda t: (t * t).sum())(<v>)\n-> $grad:v", "$r = jax.lax.while_loop(lambda c: abs(c) > 1, lambda c: c * 0.5, <v>.sum())\n-> $r:s", "$y = <v>.at[<z> % 3].add(1.0)\n-> $y:v", "$double = jax.jit(lambda t: t * 2)\n$y = $double(<v>)\n-> $y:v",
    ),
    "numpy": (
        "$y = <v>.copy()\n$y[<h>] = <n>\n-> $y:v", "$y = <v>.copy()\n$y[1:] += <n>\n-> $y:v", "$y = np.zeros_like(<v>)\nfor $i in range(3):\n    % $i:h\n    $y[$i] = <s>\n-> $y:v", "$y = <v>.copy()\n$y[<c>] = 0.0\n-> $y:v", "$gram = <q>.copy()\n$row = $gram[<h>]\n$row += <v>\n-> $gram:q",
        "$y = <v> * 1.0\nnp.add($y, <v>, out=$y)\n-> $y:v", "$y = <v>.copy()\nnp.clip($y, -1, 1, out=$y)\n-> $y:v", "$y = np.empty(3)\n$y.fill(<f>)\n-> $y:v", "$y = <v>.copy()\n$y[...] = <v>\n-> $y:v", "<var:v>[<h>] = <n>", "<var:v> += <n>", "<var:v> *= <n>", "<var:s> += <n>", "<var:v>[1:] = <v>[:-1]",
        "$gram = np.zeros((3, 3))\nfor $i in range(3):\n    for $j in range(3):\n        $gram[$i, $j] = <v>[$i] * <v>[$j]\n-> $gram:q", "$y = <v>.copy()\nif <b>:\n    $y[<h>] = <n>\nelse:\n    $y[1:] = <n>\n-> $y:v", "with np.errstate(divide='ignore', invalid='ignore'):\n    $y = <v> / <v>\n$y = np.where(np.isfinite($y), $y, 0.0)\n-> $y:v",
        "$where, = np.nonzero(<c>)\n$count = len($where)\n-> $count:i", "$mat = <w>.copy()\n$mat[:, <h>] = <n>\n-> $mat:w", "$y = <v>.copy()\nfor $i in range(1, 3):\n    $y[$i] += $y[$i - 1]\n-> $y:v", "$y = np.copy(<v>)\nfor $i, $e in enumerate($y):\n    $y[$i] = $e * <n>\n-> $y:v", "$mat = np.array([<v>, <v>])\n-> $mat:w",
    ),
}  # fmt: skip
