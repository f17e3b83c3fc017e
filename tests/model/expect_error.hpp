#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "bitbayes/types/error.hpp"

namespace bitbayes::test {

/// The text of the error that `action` throws; a test failure unless it has that code and is one
/// line.
inline std::string error_of(ErrorCode code, const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(error.code(), code) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        return text;
    }
    ADD_FAILURE() << "no error";
    return "";
}

}  // namespace bitbayes::test
