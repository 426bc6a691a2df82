"""Names of functions made of those of classes."""

import pytest

from gfx_ir.naming import snake

NAMES = {
    "BatchNorm2d": "batch_norm2d", "GPTBlock": "gpt_block", "GPT2Block": "gpt2_block", "MyNet": "my_net", "_Block": "_block",
    "NeRF": "nerf", "DiT": "dit", "ViT": "vit", "MoE": "moe", "ReLU6": "relu6", "PReLU": "prelu", "BiLSTM": "bi_lstm", "TopKRouter": "top_k_router", "GPTNeoX": "gpt_neo_x", "My_UNet": "my_unet",
    "UNet2DModel": "unet2d_model", "ConvNeXtV2": "conv_next_v2", "IoULoss": "iou_loss", "ToRGB": "to_rgb", "VGG16": "vgg16",
    "LayerNorm1x1": "layer_norm1x1", "YOLOv3": "yolov3", "FNO2d": "fno2d", "GPT_Block": "gpt_block", "Linear_0": "linear_0", "Änderung": "änderung", "f": "f",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_snake(name):
    assert snake(name) == NAMES[name]
    assert snake(snake(name)) == snake(name)


def test_a_module_tells_what_is_a_word():
    assert snake("DeiTModel", "models.deit.modeling_deit") == "deit_model"
    assert snake("GPTNeoXLayer", "models.gpt_neox") == "gpt_neox_layer"
    assert snake("MixtralTopKRouter", "models.mixtral") == "mixtral_top_k_router"
