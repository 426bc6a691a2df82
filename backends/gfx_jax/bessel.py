"""Bessel functions and Airy's, which jax.scipy has not. Emitted source contains the ones it needs.

The rational approximations are those of the Cephes library (Moshier, Methods and Programs for Mathematical Functions, 1989).
"""

import jax
import jax.numpy as jnp


def fraction(z, above, below):
    """One polynomial of z over another, highest powers first."""
    return jnp.polyval(jnp.array(above, z.dtype), z) / jnp.polyval(jnp.array(below, z.dtype), z)


def bessel_0(x, second=False):
    """The Bessel function of order 0 of the first kind, or of the second."""
    size, square = jnp.abs(x), x * x
    near = fraction(
        square,
        [-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0],
        [499.563147152651, 173785.4016763747, 48440965.83399621, 11185553704.535683, 2112775201154.892,
         310518229857422.56, 3.1812195594320496e+16, 1.7108629408104315e+18],
    )  # fmt: skip
    near = (square - 5.783185962946784) * (square - 30.471262343662087) * near
    if second:
        off = fraction(
            square,
            [15592.436785523574, -14663929.59039716, 5435264770.518765, -982136065717.9115, 87590639439536.7,
             -3466283033847297.0, 4.4273326857256984e+16, -1.8495080043698668e+16],
            [1041.2835366425984, 626107.330137135, 268919633.39381415, 86400248710.3935, 20297961275010.555,
             3171577528429750.5, 2.5059625617265306e+17],
        )  # fmt: skip
        near = off + 2 / jnp.pi * jnp.log(x) * near
    size = jnp.maximum(size, 5.0)
    z, angle = 25.0 / (size * size), size - jnp.pi / 4
    even = fraction(
        z,
        [0.0007969367292973471, 0.08283523921074408, 1.239533716464143, 5.447250030587687, 8.74716500199817,
         5.303240382353949, 1.0],
        [0.0009244088105588637, 0.08562884743544745, 1.2535274390105895, 5.470977403304171, 8.761908832370695,
         5.306052882353947, 1.0],
    )  # fmt: skip
    odd = 5.0 / size * fraction(
        z,
        [-0.011366383889846916, -1.2825271867050931, -19.553954425773597, -93.20601521237683,
         -177.68116798048806,
         -147.07750515495118, -51.41053267665993, -6.050143506007285],
        [64.3178256118178, 856.4300259769806, 3882.4018360540163, 7240.467741956525, 5930.727011873169,
         2062.0933166032783, 242.0057402402914],
    )  # fmt: skip
    sine, cosine = jnp.sin(angle), jnp.cos(angle)
    far = even * sine + odd * cosine if second else even * cosine - odd * sine
    return jnp.where(jnp.abs(x) <= 5, near, jnp.where((x < 0) & second, jnp.nan, far * jnp.sqrt(2 / (jnp.pi * size))))


def bessel_1(x, second=False):
    """The Bessel function of order 1 of the first kind, or of the second."""
    size, square = jnp.abs(x), x * x
    near = fraction(
        square,
        [-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0],
        [620.8364781180543, 256987.25675774884, 83514679.14319493, 22151159547.97925, 4749141220799.914,
         784369607876235.9, 8.952223361846274e+16, 5.322786203326801e+18],
    )  # fmt: skip
    near = x * (square - 14.681970642123893) * (square - 49.21845632169460) * near
    if second:
        off = fraction(
            square,
            [1263204747.9017804, -647355876379.1603, 114509511541823.73, -8127702555013251.0,
             2.024394757135949e+17,
             -7.788771962659501e+17],
            [594.3015923461282, 235564.09294306856, 73481194.44597217, 18760131610.870617, 3882312774962.3857,
             620557727146953.8, 6.871410873553005e+16, 3.9727060811656064e+18],
        )  # fmt: skip
        near = x * off + 2 / jnp.pi * (near * jnp.log(x) - 1 / x)
        near = jnp.where(x == 0, -jnp.inf, near)
    size = jnp.maximum(size, 5.0)
    z, angle = 25.0 / (size * size), size - 3 * jnp.pi / 4
    even = fraction(
        z,
        [0.0007621256162081731, 0.07313970569409176, 1.1271960812968493, 5.112079511468076, 8.424045901417724,
         5.214515986823615, 1.0],
        [0.0005713231280725487, 0.06884559087544954, 1.105142326340617, 5.073863861286015, 8.399855543276042,
         5.209828486823619, 1.0],
    )  # fmt: skip
    odd = 5.0 / size * fraction(
        z,
        [0.05108625947501766, 4.982138729512334, 75.82382841325453, 366.7796093601508, 710.8563049989261,
         597.4896124006136, 211.68875710057213, 25.207020585802372],
        [74.23732770356752, 1056.4488603826283, 4986.410583376536, 9562.318924047562, 7997.041604473507,
         2826.1927851763908, 336.0936078106983],
    )  # fmt: skip
    sine, cosine = jnp.sin(angle), jnp.cos(angle)
    far = even * sine + odd * cosine if second else jnp.sign(x) * (even * cosine - odd * sine)
    return jnp.where(jnp.abs(x) <= 5, near, jnp.where((x < 0) & second, jnp.nan, far * jnp.sqrt(2 / (jnp.pi * size))))


def modified_bessel_k(x, order, scaled=False):
    """The modified Bessel function of the second kind, times exp(x) if scaled: the integral of exp(-x cosh t) cosh(order t)."""
    steps = 256
    width = 2 * jnp.arcsinh(jnp.sqrt(25 / x)) / steps

    def add(k, total):
        t = k * width
        return total + jnp.exp(order * t - 2 * x * jnp.sinh(t / 2) ** 2) * (1 + jnp.exp(-2 * order * t)) / 2

    found = width * jax.lax.fori_loop(1, steps + 1, add, jnp.full_like(width, 0.5))
    found = found if scaled else jnp.exp(-x) * found
    return jnp.where(x == 0, jnp.inf, jnp.where(x == jnp.inf, 0, found))


def airy_ai(x):
    """The solution Ai of y'' = x y."""
    low, high = jnp.minimum(x, -2.09), jnp.maximum(x, 2.09)
    z = 1.5 / (-low * jnp.sqrt(-low))
    sine = 1 + z * z * fraction(
        z * z,
        [-0.1316963234183318, -0.6264565444319123, -0.6931580360369335, -0.2797799815451191,
         -0.04919001326095003,
         -0.004062659235948854, -0.0001592764962392621, -2.776491081552329e-06, -1.6778769848911465e-08],
        [13.356042070655324, 32.682503279522464, 26.736704094149957, 9.187074029072596, 1.4752914677166642,
         0.11568717379518804, 0.004402916416152112, 7.547203482874142e-05, 4.5185009297058035e-07],
    )  # fmt: skip
    cosine = z * fraction(
        z * z,
        [0.01973399320916857, 0.39110302961568827, 1.0657989759959559, 0.9391692298166502,
         0.35146565610554764,
         0.06338889196289255, 0.005858041130483885, 0.000282851600836737, 6.98793669997261e-06,
         8.117892395543892e-08, 3.415517847659236e-10],
        [9.30892908077442, 19.835292871831214, 15.564662893286462, 5.476860694229755, 0.9542936116189619,
         0.08645808263523921, 0.004126565238242226, 0.00010125908511650914, 1.1716673321441352e-06,
         4.9183457006293e-09],
    )  # fmt: skip
    angle = 1 / z + jnp.pi / 4
    below = (jnp.sin(angle) * sine - jnp.cos(angle) * cosine) / jnp.sqrt(jnp.pi * jnp.sqrt(-low))
    zeta = high * jnp.sqrt(high) / 1.5
    above = fraction(
        1 / zeta,
        [0.346538101525629, 12.007595273964581, 76.27960536152345, 168.08922493463058, 159.75639135016442,
         70.53609068404442, 14.026469116338967, 1.0],
        [0.5675945326387702, 14.75625625848472, 84.51389701414746, 177.31808814540045, 164.2346928715297,
         71.47784008255756, 14.095913560783403, 1.0],
    )  # fmt: skip
    above = above / (2 * jnp.exp(zeta) * jnp.sqrt(jnp.pi * jnp.sqrt(high)))
    even, odd, cube = jnp.ones_like(x), x, x**3
    within = 0.3550280538878172 * even - 0.2588194037928068 * odd
    for k in range(3, 48, 3):
        even, odd = even * cube / (k * (k - 1)), odd * cube / (k * (k + 1))
        within = within + 0.3550280538878172 * even - 0.2588194037928068 * odd
    found = jnp.where(x < -2.09, below, jnp.where(x >= 2.09, above, within))
    return jnp.where(jnp.isinf(x), jnp.nan, found)
