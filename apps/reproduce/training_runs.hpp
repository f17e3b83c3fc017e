// The runs on MNIST: Fig. 1B, its preprocessing, the single layer, and dense networks.
#pragma once

#include "bitbayes/types/dataset.hpp"
#include "reproduce/run_store.hpp"

namespace bitbayes::cli::reproduce {

/// The first rows, at most `count`.
Dataset first_rows(const Dataset& data, std::size_t count);

/// MNIST; Error(kIo) with a hint if it was not fetched.
LoadedData mnist_data(const Plan& plan);

/// {"runs": [...], "readout": {...}}: the four algorithms per epoch, seeds and preprocessings.
Json mnist(const Plan& plan, const RunStore& store, const LoadedData& data);

/// {"runs": [...]}: binary weights by MFB, real ones by BackProp with several learning rates.
Json single_layer(const Plan& plan, const RunStore& store, const LoadedData& data);

/// {"runs": [...]}: trees as in the paper, and dense networks by the defaults of `train`.
Json dense(const Plan& plan, const RunStore& store, const LoadedData& data);

}  // namespace bitbayes::cli::reproduce
