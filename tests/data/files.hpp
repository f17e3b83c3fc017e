// What tests of readers need: temporary files, gzip, errors with their text.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bitbayes/types/dataset.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::test {

class Folder {
  public:
    Folder() {
        std::string pattern = std::filesystem::temp_directory_path() / "bitbayes-test-XXXXXX";
        path_ = mkdtemp(pattern.data());
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string path(const std::string& name = "") const { return path_ + "/" + name; }
    std::string write(const std::string& name, std::string_view bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }

  private:
    std::string path_;
};

inline std::string gzip(std::string_view bytes) {
    std::string out(bytes.size() + bytes.size() / 8 + 128, '\0');
    z_stream z{};
    deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

inline void expect_error(ErrorCode code, const std::string& part,
                         const std::function<void()>& call) {
    try {
        call();
        ADD_FAILURE() << "no error, expected: " << part;
    } catch (const Error& error) {
        const std::string what = error.what();
        EXPECT_EQ(error.code(), code) << what;
        EXPECT_NE(what.find(part), what.npos) << what << "\nexpected: " << part;
        EXPECT_EQ(what.find('\n'), what.npos) << what;
    }
}

inline std::vector<double> dense_values(const Dataset& data) {
    std::vector<double> all;
    std::vector<double> row(data.features);
    for (std::size_t r = 0; r < data.rows; ++r) {
        data.copy_row(r, row);
        all.insert(all.end(), row.begin(), row.end());
    }
    return all;
}

inline std::vector<std::string> label_names(const Dataset& data) {
    std::vector<std::string> names;
    for (const auto label : data.labels) names.push_back(data.class_names.at(label));
    return names;
}

template <class T>
bool holds(const Dataset& data) {
    return std::holds_alternative<std::vector<T>>(data.values);
}

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

}  // namespace bitbayes::test
