// Learns a data stream one sample at a time: answer first, then learn the truth. Prints how often it was right and what
// it does when it is unsure. Usage: stream DATA (any DATA that `bitbayes train` takes; the first half warms it up)
#include <bitbayes/bitbayes.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

int main(int argc, char** argv) try {
    const bitbayes::Dataset data = bitbayes::load_dataset(argc > 1 ? argv[1] : "teacher:5:1#0:4000");
    std::vector<std::size_t> half(data.rows / 2);
    std::iota(half.begin(), half.end(), std::size_t{0});

    bitbayes::TrainOptions options;
    options.tree = {15};
    options.epochs = 1;
    bitbayes::Model model = bitbayes::train(data.select(half), options).model;

    std::size_t asked = 0, right = 0, unsure = 0;
    std::vector<double> row(data.features);
    for (std::size_t r = half.size(); r < data.rows; ++r, ++asked) {
        data.copy_row(r, row);
        const bitbayes::Answer answer = model.learn(row, data.class_names[data.labels[r]]);
        right += model.class_names()[answer.class_index] == data.class_names[data.labels[r]];
        unsure += answer.probability < 0.9;
    }
    std::printf("%zu answers, %zu right, %zu with less than 90 %% confidence\n", asked, right, unsure);
} catch (const bitbayes::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
}
