#include <cstdlib>

#include "dist/alone.hpp"

namespace bitbayes::dist {
namespace {

std::size_t place_on_machine = 0;

class Alone : public Communicator {
  public:
    std::size_t rank() const override { return 0; }
    std::size_t size() const override { return 1; }
    std::size_t rank_on_machine() const override { return place_on_machine; }
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

void set_place_on_machine(std::size_t rank) { place_on_machine = rank; }

}  // namespace bitbayes::dist
