// Numbers in the memory of a card.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/range.hpp"
#include "cuda/card.hpp"

namespace bitbayes::cuda {

/// Memory of a card, as much as was asked for most.
template <class T>
class CardArray {
  public:
    explicit CardArray(Card& card) : card_(&card) {}
    CardArray(CardArray&& other) noexcept
        : card_(other.card_), data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
    CardArray& operator=(CardArray&&) = delete;
    ~CardArray() {
        if (data_ != nullptr) card_->release(data_);
    }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }

    void reserve(std::size_t count) {
        if (count <= size_) return;
        if (data_ != nullptr) card_->release(std::exchange(data_, nullptr));
        size_ = 0;
        data_ = static_cast<T*>(card_->allocate(count * sizeof(T)));
        size_ = count;
    }
    void put(std::span<const T> values) {
        reserve(values.size());
        if (!values.empty()) card_->upload(data_, values.data(), values.size_bytes());
    }
    /// From the first-th on.
    void get(std::span<T> values, std::size_t first = 0) const {
        if (!values.empty()) card_->download(values.data(), data_ + first, values.size_bytes());
    }

  private:
    Card* card_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <class T>
std::vector<T> downloaded(const CardArray<T>& array, Range some) {
    std::vector<T> values(some.count);
    array.get(values, some.first);
    return values;
}
template <class T>
std::vector<T> downloaded(const CardArray<T>& array) {
    return downloaded(array, {0, array.size()});
}

}  // namespace bitbayes::cuda
