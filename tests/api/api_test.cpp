// The public API on small networks: everything that it promises, and that all ways to the same
// result agree.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/temp_folder.hpp"
#include "bitbayes/bitbayes.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;
using test::small_options;
using test::TempFolder;

std::vector<double> row_of(const Dataset& data, std::size_t row) {
    std::vector<double> out(data.features);
    data.copy_row(row, out);
    return out;
}

TEST(Api, TheReadmesProgram) {
    const Dataset data = blobs(200, 2, 1);
    Model model = train(data, {.tree = {51}, .epochs = 5}).model;
    const Answer answer = model.predict(row_of(data, 0));
    EXPECT_EQ(answer.class_index, data.labels[0]);
    model.learn(row_of(data, 0), "1");
    EXPECT_EQ(model.samples_seen(), 1001u);
}

TEST(Api, ProbabilitiesOfAllClassesSumToOne) {
    for (const std::size_t classes : {2u, 5u}) {
        const Dataset data = blobs(300, classes, 1);
        const Model model = train(data, small_options()).model;
        const auto all = model.probabilities(data);
        ASSERT_EQ(all.size(), data.rows * classes);
        const auto answers = model.predict(data);
        for (std::size_t r = 0; r < data.rows; ++r) {
            const auto one = model.probabilities(row_of(data, r));
            ASSERT_TRUE(std::equal(one.begin(), one.end(), &all[r * classes]));
            EXPECT_NEAR(std::accumulate(one.begin(), one.end(), 0.0), 1, 1e-12);
            EXPECT_EQ(one[answers[r].class_index], answers[r].probability);
        }
    }
}

TEST(Api, CopiesBytesAndFilesAreTheSameModel) {
    const TempFolder folder;
    const Dataset data = blobs(300, 3, 1), more = blobs(100, 3, 2);
    Model model = train(data, small_options()).model;
    model.update(more);  // between two refreshes of w
    Model copy = model.clone(), back = Model::from_bytes(model.to_bytes());
    model.save(folder / "m.bb");
    Model loaded = Model::load(folder / "m.bb");
    EXPECT_EQ(test::slurp(folder / "m.bb"), model.to_bytes());
    for (Model* other : {&copy, &back, &loaded}) {
        EXPECT_EQ(other->to_bytes(), model.to_bytes());
        EXPECT_EQ(other->predict(more), model.predict(more));
    }
    for (Model* each : {&model, &copy, &back, &loaded}) each->update(data);
    EXPECT_EQ(copy.to_bytes(), model.to_bytes());
    EXPECT_EQ(back.to_bytes(), model.to_bytes());
    EXPECT_EQ(loaded.to_bytes(), model.to_bytes());
    copy.update(more);
    EXPECT_NE(copy.to_bytes(), model.to_bytes());
}

TEST(Api, TheClippedNetworkFollowsTheModel) {
    const Dataset data = blobs(300, 4, 1), more = blobs(300, 4, 3);
    TrainOptions options = small_options();
    options.epochs = 1;
    Model model = train(data, options).model;
    for (int pass = 0; pass < 3; ++pass) {
        const PackedNetwork packed(model);
        const auto answers = packed.predict(more);
        // NaN is not equal to itself: compare only what a clipped network fills in.
        const auto map = model.predict(more, Mode::kMap);
        for (std::size_t r = 0; r < more.rows; ++r) {
            const Answer one = model.predict(row_of(more, r), Mode::kMap);
            const Answer two = packed.predict(row_of(more, r));
            for (const Answer* answer : {&map[r], &one, &two}) {
                ASSERT_EQ(answer->class_index, answers[r].class_index);
                ASSERT_EQ(answer->margin, answers[r].margin);
                ASSERT_EQ(answer->validity, answers[r].validity);
            }
        }
        EXPECT_EQ(model.evaluate_clipped(more).error_map, packed.evaluate(more).error_map);
        EXPECT_EQ(model.evaluate(more).error_map, packed.evaluate(more).error_map);
        EXPECT_EQ(PackedNetwork::from_bytes(packed.to_bytes()).to_bytes(), packed.to_bytes());
        EXPECT_EQ(packed.scores(more).size(), 4 * more.rows);
        model.update(more);  // the cached network must not be used again
    }
}

TEST(Api, ThePosteriorIsReadAsItWasAndStays) {
    const Dataset data = blobs(200, 3, 1);
    Model model = train(data, small_options()).model;
    ASSERT_EQ(model.layers(), 2u);
    const PosteriorLayer before = model.posterior(0);
    EXPECT_EQ(before.neurons, 27u);
    EXPECT_EQ(before.fan_in, 13u);
    EXPECT_TRUE(before.reads_all);
    EXPECT_FALSE(model.posterior(1).reads_all);
    EXPECT_EQ(before.values.size(), 27u * 13);
    EXPECT_EQ(model.posterior(0).values.data(), before.values.data());  // no second copy
    const std::vector<float> kept(before.values.begin(), before.values.end());
    model.update(data);
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), before.values.begin()));
    EXPECT_NE(
        std::vector<float>(model.posterior(0).values.begin(), model.posterior(0).values.end()),
        kept);
}

TEST(Api, ViewsAndDatasetsTrainTheSameModel) {
    const Dataset data = blobs(300, 3, 1);
    const auto& values = std::get<std::vector<double>>(data.values);
    std::vector<double> wide(data.rows * 20, NAN);  // 12 columns in rows of 20
    for (std::size_t r = 0; r < data.rows; ++r) {
        std::copy_n(&values[r * 12], 12, &wide[r * 20]);
    }
    const Rows rows(DenseView<double>{wide.data(), 20, 1}, data.rows, 12);
    const LabelledRows labelled(rows, data.labels, data.class_names);
    const Model a = train(data, small_options()).model, b = train(labelled, small_options()).model;
    EXPECT_EQ(a.to_bytes(), b.to_bytes());
    EXPECT_EQ(a.predict(data), b.predict(rows));
    EXPECT_EQ(a.probabilities(data), b.probabilities(rows));
}

TEST(Api, ATrainerStopsAndResumes) {
    const TempFolder folder;
    const Dataset data = blobs(300, 3, 1), test = blobs(100, 3, 2);
    Trainer whole(data, small_options(), LabelledRows(test));
    EXPECT_TRUE(whole.run());
    Trainer first(data, small_options(), LabelledRows(test));
    TrainCallbacks stop_early{.checkpoint = folder / "c.bb", .every = 50};
    stop_early.progress = [](const TrainProgress& now) { return now.epoch < 2 || now.sample < 70; };
    EXPECT_FALSE(first.run(stop_early));
    EXPECT_EQ(first.epochs_done(), 1u);
    Trainer second = Trainer::resume(folder / "c.bb", data, small_options(), LabelledRows(test));
    EXPECT_EQ(second.epochs_done(), 1u);
    EXPECT_EQ(second.sample(), 100u);
    EXPECT_TRUE(second.run());
    EXPECT_EQ(second.model().to_bytes(), whole.model().to_bytes());
    EXPECT_EQ(second.model().to_bytes(), train(data, small_options(), &test).model.to_bytes());
    ASSERT_EQ(second.history().size(), 3u);
    EXPECT_EQ(second.history()[2].test->nll, whole.history()[2].test->nll);
    EXPECT_THROW(Trainer::resume(folder / "c.bb", test, small_options(), LabelledRows(test)),
                 Error);
    TrainOptions other = small_options();
    other.evidence = 2;
    EXPECT_THROW(Trainer::resume(folder / "c.bb", data, other, LabelledRows(test)), Error);
}

TEST(Api, ExportsAreWritten) {
    const TempFolder folder;
    const Dataset data = blobs(200, 2, 1);
    const PackedNetwork packed(train(data, small_options()).model);
    const auto c = export_c(packed, folder / "c", {.name = "net"}, Rows(data));
    EXPECT_NE(std::find(c.begin(), c.end(), "net.h"), c.end());
    const auto verilog = export_verilog(packed, folder / "v", {.name = "net"});
    EXPECT_NE(std::find(verilog.begin(), verilog.end(), "net.v"), verilog.end());
    for (const auto& file : c) EXPECT_TRUE(std::filesystem::exists(folder / "c/" + file)) << file;
    EXPECT_THROW(export_c(packed, folder / "c", {.name = "net"}), Error);
    EXPECT_NO_THROW(export_c(packed, folder / "c", {.name = "net", .overwrite = true}));
    EXPECT_THROW(export_c(packed, folder / "d", {.name = "9lives"}), Error);
}

TEST(Api, StreamsOfRowsAndTheVersion) {
    const TempFolder folder;
    test::spill(folder / "rows.csv", "a,b,label\n1,2,x\n3,4,y\n5,6,x\n");
    RowStream stream(folder / "rows.csv");
    Dataset chunk;
    std::size_t rows = 0;
    while (stream.next(chunk, 2)) rows += chunk.rows;
    EXPECT_EQ(rows, 3u);
    EXPECT_EQ(load_dataset(folder / "rows.csv").column_names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(version(), std::to_string(BITBAYES_VERSION_MAJOR) + "." +
                             std::to_string(BITBAYES_VERSION_MINOR) + "." +
                             std::to_string(BITBAYES_VERSION_PATCH));
}

}  // namespace
}  // namespace bitbayes
