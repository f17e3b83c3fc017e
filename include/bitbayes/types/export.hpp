#pragma once

/// Marks what a shared library exports; everything else is hidden (-fvisibility=hidden).
#define BITBAYES_API __attribute__((visibility("default")))
