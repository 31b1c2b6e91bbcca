// The names of the methods and filters by which kernels resize.
//
// Contract: tables for ReadChoice, the default first. Thread rule: constants.
#pragma once

#include "codec/resample.h"
#include "kernels/choice.h"

namespace fastpipe {

inline constexpr Choice<ResizeMethod> kResizeMethods[] = {
    {"bilinear", ResizeMethod::kBilinear}, {"nearest", ResizeMethod::kNearest},
    {"bicubic", ResizeMethod::kBicubic},   {"area", ResizeMethod::kArea},
    {"lanczos3", ResizeMethod::kLanczos3}, {"lanczos5", ResizeMethod::kLanczos5},
    {"gaussian", ResizeMethod::kGaussian}, {"mitchellcubic", ResizeMethod::kMitchellCubic},
};
inline constexpr Choice<PillowFilter> kPillowFilters[] = {
    {"bilinear", PillowFilter::kBilinear}, {"box", PillowFilter::kBox},
    {"hamming", PillowFilter::kHamming},   {"bicubic", PillowFilter::kBicubic},
    {"lanczos", PillowFilter::kLanczos},
};

}  // namespace fastpipe
