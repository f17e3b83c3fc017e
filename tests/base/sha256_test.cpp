#include "base/sha256.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bitbayes {
namespace {

std::string sha256(std::string_view text, std::size_t piece) {
    Sha256 hash;
    while (!text.empty()) {
        const auto part = text.substr(0, piece);
        hash.add(std::as_bytes(std::span(part)));
        text.remove_prefix(part.size());
    }
    return hash.hex();
}

// FIPS 180-4 examples, and lengths around the padding's block boundary (values of GNU sha256sum).
TEST(Sha256, KnownAnswers) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {std::string(1000000, 'a'),
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
        {std::string(55, 'a'), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {std::string(56, 'a'), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {std::string(63, 'a'), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {std::string(64, 'a'), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {std::string(65, 'a'), "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {std::string(119, 'a'), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {std::string(120, 'a'), "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    };
    for (const auto& [text, digest] : cases) {
        EXPECT_EQ(sha256(text, text.size() + 1), digest) << text.size();
    }
}

TEST(Sha256, PiecesDoNotMatter) {
    const std::string text(1000, 'x');
    const auto whole = sha256(text, text.size());
    for (const std::size_t piece : {1u, 3u, 63u, 64u, 65u, 127u, 128u, 200u}) {
        EXPECT_EQ(sha256(text, piece), whole) << piece;
    }
}

}  // namespace
}  // namespace bitbayes
