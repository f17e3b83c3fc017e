#include "data/stream.hpp"

#include <algorithm>
#include <numeric>

#include "bitbayes/types/error.hpp"
#include "data/format.hpp"

namespace bitbayes::data {

RowStream::RowStream(const std::string& path, const ReadOptions& options) {
    auto input = std::make_unique<Input>(path, options.max_memory);
    const Format format = detect_format(*input, options);
    if (is_text(format)) {
        reader_ = open_rows(std::move(input), format, options);
    } else {
        whole_ = read_dataset(std::move(input), format, options);
    }
}

bool RowStream::next(Dataset& chunk, std::size_t max_rows) {
    if (!reader_) {
        std::vector<std::size_t> chosen(std::min(max_rows, whole_.rows - done_));
        std::iota(chosen.begin(), chosen.end(), done_);
        done_ += chosen.size();
        chunk = whole_.select(chosen);
        return !chosen.empty();
    }
    if (failure_) std::rethrow_exception(failure_);
    DatasetBuilder builder(*reader_);
    try {
        Row row;
        while (builder.rows() < max_rows && (builder.rows() == 0 || reader_->ready()) &&
               reader_->next(row)) {
            builder.add(row);
        }
    } catch (const Error&) {
        failure_ = std::current_exception();
        if (builder.rows() == 0) throw;
    }
    chunk = builder.finish();
    reader_->describe(chunk);
    return chunk.rows > 0;
}

}  // namespace bitbayes::data
