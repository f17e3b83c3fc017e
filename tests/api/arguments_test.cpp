// Arguments that make no sense: an Error that names them, never a crash (this runs under the
// sanitizers).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../base/temp_folder.hpp"
#include "bitbayes/bitbayes.hpp"
#include "model/expect_error.hpp"
#include "training/blobs.hpp"

namespace bitbayes {
namespace {

using test::blobs;
using test::error_of;
using test::small_options;

class Arguments : public testing::Test {
  protected:
    const Dataset data_ = blobs(100, 3, 1);
    Model model_ = train(data_, small_options()).model;
    PackedNetwork packed_{model_};
};

/// What every function that takes labelled rows must refuse.
std::vector<Dataset> broken_tables() {
    std::vector<Dataset> tables(6, blobs(100, 3, 1));
    tables[0].labels[7] = 3;                                       // beyond class_names
    tables[1].rows = 101;                                          // fewer values than rows
    tables[2].labels.pop_back();                                   // too few labels
    std::get<std::vector<double>>(tables[3].values).resize(1199);  // a short row
    tables[4].values = SparseRows{{0, 1}, {12}, {1}};              // one row, a column beyond
    tables[4].rows = 1;
    tables[4].labels = {0};
    tables[5].values = SparseRows{{0, 5, 5}, {0}, {1}};  // row_start beyond the entries
    tables[5].rows = 2;
    tables[5].labels = {0, 1};
    return tables;
}

TEST_F(Arguments, TablesThatDoNotFitTogether) {
    for (const Dataset& bad : broken_tables()) {
        EXPECT_THROW(train(bad, small_options()), Error);
        EXPECT_THROW(train(data_, small_options(), &bad), Error);
        EXPECT_THROW(Trainer(bad, small_options()), Error);
        EXPECT_THROW(model_.evaluate(bad), Error);
        EXPECT_THROW(model_.evaluate_clipped(bad), Error);
        EXPECT_THROW(model_.update(bad), Error);
        EXPECT_THROW(packed_.evaluate(bad), Error);
        EXPECT_THROW(packed_.abstain(bad, 0.1), Error);
        EXPECT_THROW(bad.select(std::vector<std::size_t>{0}), Error);
    }
    for (const std::size_t k : {1u, 3u, 4u, 5u}) {
        const Dataset bad = broken_tables()[k];
        EXPECT_THROW(model_.predict(bad), Error);
        EXPECT_THROW(model_.predict(bad, Mode::kMap), Error);
        EXPECT_THROW(model_.probabilities(bad), Error);
        EXPECT_THROW(packed_.predict(bad), Error);
        EXPECT_THROW(packed_.scores(bad), Error);
    }
    EXPECT_EQ(model_.samples_seen(), 300u);  // nothing was learned along the way
}

TEST_F(Arguments, InfiniteValuesAndEqualClassNamesAreNotLearned) {
    const double inf = std::numeric_limits<double>::infinity();
    for (const char* preprocess : {"auto", "center", "standardize", "none", "thermometer:4"}) {
        TrainOptions options = small_options();
        options.preprocess = preprocess;
        for (const double value : {inf, -inf}) {
            Dataset bad = data_;
            std::get<std::vector<double>>(bad.values)[7 * 12 + 3] = value;
            const auto text = error_of(ErrorCode::kData, [&] { train(bad, options); });
            EXPECT_NE(text.find("blobs: row 7 (from 0), column 3: an infinite value"),
                      std::string::npos)
                << text;
        }
        Dataset missing = data_;
        std::get<std::vector<double>>(missing.values)[7 * 12 + 3] = std::nan("");
        const Model model = train(missing, options).model;
        EXPECT_EQ(Model::from_bytes(model.to_bytes()).to_bytes(), model.to_bytes());
    }
    Dataset sparse = data_;
    sparse.kind = DataKind::kSparse;
    sparse.rows = 2;
    sparse.labels = {0, 1};
    sparse.values = SparseRows{{0, 1, 2}, {5, 6}, {1, static_cast<float>(inf)}};
    const auto text = error_of(ErrorCode::kData, [&] {
        TrainOptions options = small_options();
        options.preprocess = "auto";
        train(sparse, options);
    });
    EXPECT_NE(text.find("row 1 (from 0), column 6"), std::string::npos) << text;
    Dataset twice = data_;
    twice.class_names = {"a", "b", "a"};
    error_of(ErrorCode::kData, [&] { train(twice, small_options()); });
}

TEST_F(Arguments, FilesThatExistStay) {
    const test::TempFolder folder;
    test::spill(folder / "f", "old");
    error_of(ErrorCode::kIo, [&] { model_.save(folder / "f"); });
    error_of(ErrorCode::kIo, [&] { packed_.save(folder / "f"); });
    Trainer trainer(data_, small_options());
    TrainCallbacks callbacks;
    callbacks.checkpoint = folder / "f";
    callbacks.overwrite = false;
    error_of(ErrorCode::kIo, [&] { trainer.run(callbacks); });
    error_of(ErrorCode::kIo, [&] { trainer.save_checkpoint(folder / "f", false); });
    EXPECT_EQ(test::slurp(folder / "f"), "old");
    trainer.save_checkpoint(folder / "g", false);
    trainer.save_checkpoint(folder / "g", false);  // its own
    callbacks.checkpoint = folder / "g";
    EXPECT_TRUE(trainer.run(callbacks));
    trainer.save_checkpoint(folder / "f");
    model_.save(folder / "f", true);
    EXPECT_EQ(test::slurp(folder / "f"), model_.to_bytes());
}

TEST_F(Arguments, RatesThatOverflowStopTheRun) {
    TrainOptions options = small_options();
    options.epochs = 400;
    const auto stopped = [&](const std::string& hint) {
        const auto text = error_of(ErrorCode::kUsage, [&] { train(data_, options); });
        EXPECT_NE(text.find("samples the weights are not finite any more"), text.npos) << text;
        EXPECT_NE(text.find(hint), text.npos) << text;
    };
    for (const std::vector<std::size_t>& tree : {std::vector<std::size_t>{}, {9}, {3, 3}}) {
        options.tree = tree;
        options.evidence = 1e38;
        stopped("smaller `evidence`");
    }
    options.evidence = 1;
    options.algorithm = Algorithm::kBackprop;
    options.learning_rate = 1e30;
    stopped("smaller `learning_rate`");
}

TEST_F(Arguments, RowsOfAnotherWidth) {
    for (const std::size_t width : {0u, 11u, 13u}) {
        const std::vector<double> row(width, 1.0);
        error_of(ErrorCode::kData, [&] { model_.predict(row); });
        error_of(ErrorCode::kData, [&] { model_.predict(row, Mode::kMap); });
        error_of(ErrorCode::kData, [&] { model_.probabilities(row); });
        error_of(ErrorCode::kData, [&] { model_.learn(row, "1"); });
        error_of(ErrorCode::kData, [&] { packed_.predict(row); });
    }
    const std::vector<double> row(12, 1.0);
    EXPECT_NE(
        error_of(ErrorCode::kData, [&] { model_.learn(row, "7"); }).find("trained on 0, 1, 2"),
        std::string::npos);
    EXPECT_NO_THROW(model_.predict(std::vector<double>(12, NAN)));
    EXPECT_THROW(model_.predict(std::vector<double>(12, 1e300)), Error);
    EXPECT_THROW(model_.predict(std::vector<double>(12, INFINITY)), Error);
    EXPECT_NO_THROW(packed_.predict(std::vector<double>(12, INFINITY)));
}

TEST_F(Arguments, OptionsAreNamedAsTheyAreInCpp) {
    for (const double evidence : {std::nan(""), -3.0, 0.0, HUGE_VAL}) {
        TrainOptions options = small_options();
        options.evidence = evidence;
        const auto text = error_of(ErrorCode::kUsage, [&] { train(data_, options); });
        EXPECT_EQ(text.rfind("`evidence`", 0), 0u) << text;
        EXPECT_EQ(text.find("--"), std::string::npos) << text;
    }
    TrainOptions options = small_options();
    options.preprocess = "magic";
    EXPECT_EQ(error_of(ErrorCode::kUsage, [&] { train(data_, options); }).find("--"),
              std::string::npos);
    error_of(ErrorCode::kUsage, [&] { model_.posterior(2); });
    for (const double rate : {std::nan(""), 0.0, -1.0, 1.0}) {
        error_of(ErrorCode::kUsage, [&] { packed_.abstain(data_, rate); });
    }
    options = small_options();
    options.algorithm = Algorithm::kBackprop;
    const Model backprop = train(data_, options).model;
    error_of(ErrorCode::kUsage, [&] { backprop.probabilities(data_); });
    error_of(ErrorCode::kUsage, [&] { PackedNetwork(backprop, {.draws = 3}); });
}

TEST_F(Arguments, BytesThatAreNoModel) {
    const std::string bytes = model_.to_bytes(), packed = packed_.to_bytes();
    for (const std::string& bad : {std::string(), std::string("x"), bytes.substr(1), packed}) {
        error_of(ErrorCode::kModel, [&] { Model::from_bytes(bad); });
    }
    error_of(ErrorCode::kModel, [&] { PackedNetwork::from_bytes(bytes); });
    error_of(ErrorCode::kIo, [&] { Model::load("/no/such/file"); });
}

}  // namespace
}  // namespace bitbayes
