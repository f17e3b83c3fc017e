#include "reproduce/run_store.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "bitbayes/types/error.hpp"
#include "terminal/ranks.hpp"

namespace bitbayes::cli::reproduce {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRuns = "runs";
constexpr const char* kCheckpoints = "checkpoints";

}  // namespace

RunStore::RunStore(const Plan& plan) : folder_(plan.folder), sharing_(ranks().several()) {
    if (ranks().first()) {
        const bool known = fs::is_directory(path(kRuns));
        std::error_code none;
        if (fs::exists(folder_) && !fs::is_empty(folder_, none) && !known && !plan.common.force) {
            throw Error(ErrorCode::kIo, folder_ + " exists and holds no reproduction",
                        "choose another folder, or use --force");
        }
        if (plan.common.force) {
            fs::remove_all(path(kRuns), none);
            fs::remove_all(path(kCheckpoints), none);
        }
    }
    ranks().barrier();
    runs_.emplace(path(kRuns));
    make_folder(path(kCheckpoints));
    if (sharing_) claims_work_ = cli::claims_work(runs_->path());
}

RunStore RunStore::among_threads() const {
    RunStore copy = *this;
    copy.sharing_ = true;
    copy.taken_ = std::make_shared<Taken>();
    return copy;
}

RunStore::Turn RunStore::turn(const std::string& name) const {
    if (taken_) {
        const std::lock_guard lock(taken_->mutex);
        return {taken_->names.insert(name).second};
    }
    if (!sharing_) return {};
    const std::size_t number = asked_++;
    if (!claims_work_) return {number % ranks().size() == ranks().rank()};
    auto claim = runs_->claim(name);
    const bool mine = claim.has_value();
    return {mine, std::move(claim)};
}

Json RunStore::run(const std::string& name, const Json& settings,
                   const std::function<Json()>& work) const {
    const Turn turn = this->turn(name);
    if (auto stored = runs_->find(name, settings)) return *stored;
    if (!turn.mine) return {};
    const auto start = std::chrono::steady_clock::now();
    Json results = work();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return runs_->store(name, settings, passed.count(), std::move(results));
}

CheckpointFiles RunStore::checkpoint(const std::string& name) const {
    const std::string file = path(fmt::format("{}/{}.bb", kCheckpoints, name));
    return {file, fs::exists(file) ? file : "", 0};
}

}  // namespace bitbayes::cli::reproduce
