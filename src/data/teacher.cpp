// Inputs and weights are bits, 1 for +1, in words of 64; Philox block b of row r is index r *
// blocks + b.
//   sum_j w_j x_j = M - 2 popcount(w xor x),   sign(0) = +1
#include "data/teacher.hpp"

#include <fmt/format.h>

#include <bit>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory.hpp"
#include "base/philox.hpp"
#include "base/text.hpp"
#include "bitbayes/types/error.hpp"

namespace bitbayes::data {

namespace {

constexpr std::size_t kMaxTeacher = 4096;
constexpr std::size_t kBlockBits = 128;

using Words = std::vector<std::uint64_t>;

std::size_t words_per_row(std::size_t m) { return (m + kBlockBits - 1) / kBlockBits * 2; }

/// Writes `m` random bits to `out`, then zeros.
void draw_bits(const Philox& random, std::size_t row, std::size_t m, std::span<std::uint64_t> out) {
    const std::size_t blocks = out.size() / 2;
    for (std::size_t b = 0; b < blocks; ++b) {
        const auto r = random.words(row * blocks + b);
        out[2 * b] = std::uint64_t{r[1]} << 32 | r[0];
        out[2 * b + 1] = std::uint64_t{r[3]} << 32 | r[2];
    }
    for (std::size_t w = m / 64; w < out.size(); ++w) {
        out[w] &= w == m / 64 ? (std::uint64_t{1} << m % 64) - 1 : 0;
    }
}

bool sign_of_sum(const std::uint64_t* weights, std::span<const std::uint64_t> inputs,
                 std::size_t m) {
    std::size_t different = 0;
    for (std::size_t w = 0; w < inputs.size(); ++w) {
        different += static_cast<std::size_t>(std::popcount(weights[w] ^ inputs[w]));
    }
    return 2 * different <= m;
}

struct Teacher {
    std::size_t m;
    Words hidden;  // m rows of words_per_row(m)
    Words output;  // one row

    Teacher(std::size_t size, std::uint64_t seed)
        : m(size), hidden(size * words_per_row(size)), output(words_per_row(size)) {
        const Philox layer1(seed, Purpose::kTeacherWeights, 0),
            layer2(seed, Purpose::kTeacherWeights, 1);
        const std::size_t words = words_per_row(m);
        for (std::size_t i = 0; i < m; ++i)
            draw_bits(layer1, i, m, std::span(hidden).subspan(i * words, words));
        draw_bits(layer2, 0, m, output);
    }

    bool answer(std::span<const std::uint64_t> inputs) const {
        const std::size_t words = inputs.size();
        Words v(words);
        for (std::size_t i = 0; i < m; ++i) {
            const bool plus = sign_of_sum(hidden.data() + i * words, inputs, m);
            v[i / 64] |= std::uint64_t{plus} << i % 64;
        }
        return sign_of_sum(output.data(), v, m);
    }
};

Dataset draw_rows(const Teacher& teacher, const Philox& random, std::size_t rows) {
    const std::size_t m = teacher.m;
    Dataset data;
    data.kind = DataKind::kTeacher;
    data.rows = rows;
    data.features = m;
    data.class_names = {"-1", "1"};
    std::vector<float> values(rows * m);
    Words inputs(words_per_row(m));
    for (std::size_t row = 0; row < rows; ++row) {
        draw_bits(random, row, m, inputs);
        for (std::size_t j = 0; j < m; ++j) {
            values[row * m + j] = inputs[j / 64] >> j % 64 & 1 ? 1.0f : -1.0f;
        }
        data.labels.push_back(teacher.answer(inputs));
    }
    data.values = std::move(values);
    return data;
}

}  // namespace

LoadedData make_teacher(std::size_t m, std::uint64_t seed, std::size_t train_rows,
                        std::size_t test_rows) {
    const Teacher teacher(m, seed);
    LoadedData data;
    data.train = draw_rows(teacher, Philox(seed, Purpose::kTeacherTrainInputs), train_rows);
    data.test = draw_rows(teacher, Philox(seed, Purpose::kTeacherTestInputs), test_rows);
    data.train.name = data.test.name = fmt::format("teacher:{}:{}", m, seed);
    return data;
}

LoadedData load_teacher(const std::string& name, std::size_t max_memory) {
    const std::string_view numbers = std::string_view(name).substr(name.find(':') + 1);
    const std::size_t colon = numbers.find(':');
    const auto m = parse_index(numbers.substr(0, colon));
    const auto seed = colon == numbers.npos ? 1 : parse_index(numbers.substr(colon + 1));
    if (!m || !seed || *m == 0 || *m > kMaxTeacher) {
        throw Error(ErrorCode::kUsage, in_quotes(name) + " is no teacher",
                    fmt::format("teacher:M or teacher:M:SEED, M from 1 to {}", kMaxTeacher));
    }
    const std::uint64_t needed = (kTeacherTrainRows + kTeacherTestRows) * *m * sizeof(float);
    if (const std::uint64_t budget = memory_budget(max_memory); needed > budget) {
        throw Error(ErrorCode::kData,
                    fmt::format("{}: would take {} of memory, the limit is {}", name,
                                bytes_text(needed), bytes_text(budget)),
                    "a smaller M, or a higher `max_memory`");
    }
    return make_teacher(*m, *seed, kTeacherTrainRows, kTeacherTestRows);
}

}  // namespace bitbayes::data
