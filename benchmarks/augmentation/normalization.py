"""The means and deviations of ImageNet, on the scale 0 to 255."""

MEAN = [123.675, 116.28, 103.53]
DEVIATION = [58.395, 57.12, 57.375]
