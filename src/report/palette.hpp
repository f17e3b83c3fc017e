// Colours of figures, and the style sheet that every SVG carries.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace bitbayes::report {

struct Theme {
    const char* ground;
    const char* ink;
    const char* soft;  // ticks, captions
    const char* grid;
    std::array<const char*, 8> series;
};

/// Eight colours that colour-blind readers can tell apart, with a contrast of at least 3 to 1 to
/// the background (tests/report/palette_test.cpp).
inline constexpr Theme kLight = {
    "#ffffff",
    "#1d2329",
    "#59636e",
    "#e4e8ec",
    {"#0052a3", "#c23010", "#2a8a62", "#b478b4", "#8a961f", "#1f97e6", "#5c5e66", "#42240c"}};
inline constexpr Theme kDark = {
    "#15181c",
    "#e6e9ec",
    "#a0a9b2",
    "#2b3138",
    {"#4a8fe6", "#f2702a", "#2ed08f", "#e496c0", "#f0dc48", "#a6e2ff", "#85807e", "#b5553a"}};

inline std::size_t palette_index(std::size_t colour) { return colour % kLight.series.size(); }

/// Classes bb-..., colours as custom properties --bb-...; the same for every figure, so that one
/// page can hold many.
std::string figure_style();

}  // namespace bitbayes::report
