#include "tools/tar.hpp"

#include <algorithm>
#include <charconv>

#include "bitbayes/types/error.hpp"

namespace bitbayes::tools {

namespace {

constexpr std::size_t kBlock = 512;

[[noreturn]] void fail(const data::Input& input) {
    throw Error(ErrorCode::kData, input.name() + ": truncated or damaged tar archive");
}

std::string_view text_field(std::string_view header, std::size_t offset, std::size_t size) {
    const std::string_view field = header.substr(offset, size);
    return field.substr(0, field.find('\0'));
}

std::size_t octal_field(const data::Input& input, std::string_view header, std::size_t offset,
                        std::size_t size) {
    std::string_view digits = text_field(header, offset, size);
    digits = digits.substr(0, digits.find(' '));
    std::size_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
    if (error != std::errc() || end != digits.data() + digits.size()) fail(input);
    return value;
}

}  // namespace

void for_each_tar_member(data::Input& input, const TarVisitor& visit) {
    while (true) {
        const std::string header(input.peek(kBlock));
        if (header.empty() || header.front() == '\0') return;
        if (header.size() < kBlock) fail(input);
        input.consume(kBlock);
        const std::string_view prefix = text_field(header, 345, 155);
        const std::string name = (prefix.empty() ? "" : std::string(prefix) + "/") +
                                 std::string(text_field(header, 0, 100));
        const std::size_t size = octal_field(input, header, 124, 12);
        const bool plain_file = header[156] == '0' || header[156] == '\0';
        const std::string_view bytes = input.peek(size);
        if (bytes.size() < size) fail(input);
        if (plain_file) visit(name, bytes);
        const std::size_t padding = (kBlock - size % kBlock) % kBlock;
        input.peek(size + padding);
        input.consume(std::min(size + padding, input.buffered().size()));
    }
}

}  // namespace bitbayes::tools
