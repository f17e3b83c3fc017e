#include "data/broadcast.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace bitbayes::data {
namespace {

class Sender {
  public:
    explicit Sender(dist::Communicator& ranks) : ranks_(ranks) {}

    template <class T>
    requires std::is_trivially_copyable_v<T>
    void send(T& value) { ranks_.broadcast(std::as_writable_bytes(std::span(&value, 1))); }

    void send(std::string& text) {
        resize(text);
        ranks_.broadcast(std::as_writable_bytes(std::span(text)));
    }

    /// One after the other in two messages: there may be a name per row.
    void send(std::vector<std::string>& texts) {
        std::vector<std::uint64_t> ends;
        std::string all;
        for (const std::string& text : texts) ends.push_back((all += text).size());
        send(ends);
        send(all);
        texts.clear();
        for (std::uint64_t begin = 0; const std::uint64_t end : ends) {
            texts.push_back(all.substr(begin, end - begin));
            begin = end;
        }
    }

    template <class T>
    void send(std::vector<T>& values) {
        resize(values);
        if constexpr (std::is_trivially_copyable_v<T>) {
            ranks_.broadcast(std::as_writable_bytes(std::span(values)));
        } else {
            for (T& value : values) send(value);
        }
    }

    void send(SparseRows& rows) {
        send(rows.row_start);
        send(rows.column);
        send(rows.value);
    }

    template <class... Ts>
    void send(std::variant<Ts...>& values) {
        std::uint64_t kind = values.index();
        send(kind);
        if (!ranks_.first()) {
            std::uint64_t k = 0;
            ((k++ == kind ? static_cast<void>(values = Ts{}) : void()), ...);
        }
        std::visit([&](auto& held) { send(held); }, values);
    }

  private:
    template <class List>
    void resize(List& list) {
        std::uint64_t size = list.size();
        send(size);
        list.resize(size);
    }

    dist::Communicator& ranks_;
};

}  // namespace

void broadcast(dist::Communicator& ranks, Dataset& data) {
    if (!ranks.several()) return;
    auto& [name, kind, rows, features, values, labels, class_names, column_names, notes, categories,
           ids, weights, groups, lines, roles, other_names, image] = data;
    const auto send = [&](auto&... members) { (Sender(ranks).send(members), ...); };
    send(name, kind, rows, features, values, labels, class_names, column_names, notes, categories,
         ids, weights, groups, lines, roles, other_names, image);
}

}  // namespace bitbayes::data
