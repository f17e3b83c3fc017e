// The public API of readers.
#include "bitbayes/read.hpp"

#include <utility>

#include "data/spec.hpp"
#include "data/stream.hpp"

namespace bitbayes {

LoadedData load_data(const std::string& data, const ReadOptions& options) {
    return data::load_data(data, options);
}

Dataset load_dataset(const std::string& data, const ReadOptions& options, Split preferred) {
    return data::load_dataset(data, options, preferred);
}

struct RowStream::Impl {
    data::RowStream stream;
};

RowStream::RowStream(const std::string& path, const ReadOptions& options)
    : impl_(new Impl{data::RowStream(path, options)}) {}
RowStream::RowStream(RowStream&&) noexcept = default;
RowStream& RowStream::operator=(RowStream&&) noexcept = default;
RowStream::~RowStream() = default;

bool RowStream::next(Dataset& chunk, std::size_t max_rows) {
    return impl_->stream.next(chunk, max_rows);
}
std::vector<std::string> RowStream::notes() const { return impl_->stream.notes(); }

}  // namespace bitbayes
