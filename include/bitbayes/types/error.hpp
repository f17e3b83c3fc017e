// Every failure that a user can cause is thrown as bitbayes::Error; the code is the process exit
// status.
#pragma once

#include <stdexcept>
#include <string>

#include "bitbayes/types/export.hpp"

namespace bitbayes {

enum class ErrorCode {
    kInternal = 1,      // a check that failed, or a bug
    kUsage = 2,         // options that make no sense
    kData = 3,          // a data file that cannot be understood
    kModel = 4,         // a model file that is damaged or too new
    kUnavailable = 5,   // a backend or tool that is not available
    kIo = 6,            // reading or writing failed; a file is missing, or an output exists
    kInterrupted = 130  // stopped by a signal
};

class BITBAYES_API Error : public std::runtime_error {
  public:
    Error(ErrorCode code, const std::string& what, const std::string& hint = "")
        : std::runtime_error(hint.empty() ? what : what + "; hint: " + hint), code_(code) {}

    ErrorCode code() const { return code_; }

  private:
    ErrorCode code_;
};

}  // namespace bitbayes
