#include <cstdlib>

#include "dist/communicator.hpp"

namespace bitbayes::dist {
namespace {

class Alone : public Communicator {
  public:
    std::size_t rank() const override { return 0; }
    std::size_t size() const override { return 1; }
    std::size_t rank_on_machine() const override { return 0; }
    void broadcast(std::span<std::byte>) override {}
    void gather(std::span<std::byte>, std::span<const std::size_t>) override {}
    void collect(std::size_t, std::span<std::byte>) override {}
    bool any(bool mine) override { return mine; }
    void barrier() override {}
    bool all_failed(double) override { return true; }
    void abort(int exit_code) override { std::_Exit(exit_code); }
};

}  // namespace

Communicator& alone() {
    static Alone one;
    return one;
}

}  // namespace bitbayes::dist
