// Objects lent to one user at a time and made when none is free: scratch space for functions that
// several threads may call at once.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace bitbayes {

template <class T>
class Pool {
  public:
    /// Holds one object and returns it to the pool at the end of its scope.
    class Lease {
      public:
        Lease(Pool& pool, std::unique_ptr<T> object) : pool_(pool), object_(std::move(object)) {}
        ~Lease() { pool_.give_back(std::move(object_)); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        T* operator->() { return object_.get(); }
        T& operator*() { return *object_; }

      private:
        Pool& pool_;
        std::unique_ptr<T> object_;
    };

    template <class Make>
    Lease take(const Make& make) {
        {
            const std::lock_guard lock(mutex_);
            if (!free_.empty()) {
                auto object = std::move(free_.back());
                free_.pop_back();
                return Lease(*this, std::move(object));
            }
        }
        return Lease(*this, std::make_unique<T>(make()));
    }
    Lease take() {
        return take([] { return T(); });
    }

  private:
    void give_back(std::unique_ptr<T> object) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(object));
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> free_;
};

}  // namespace bitbayes
