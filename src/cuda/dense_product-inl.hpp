// Products of matrices in tiles, for dense_steps-inl.hpp; included inside a namespace after input_neuron-inl.hpp.
//   sum(p, q) = sum over terms t of left(t, p) right(t, q)
//   with two planes also  sum over t of left(t, p)^2 (1 - right(t, q)^2)
// Each sum is carried by one thread, term by term, as in a lane of the CPU.
//
// A block computes one tile. Slices of kDepth terms pass through shared memory, two in turns: while one is multiplied, the next is on its
// way from the card's memory in registers. In the end the sums are laid down in shared memory, from where all threads finish them in the
// order in which they lie in the card's memory.

// Lines of floats, zeros behind the last that counts; `stride` is a multiple of 16.
struct Matrix {
    const float* at;
    std::uint32_t lines, stride;
};

struct LeftFactor {
    BITBAYES_INLINE static float second(float x) { return (Lanes(x) * Lanes(x)).v; }
};
struct RightFactor {
    BITBAYES_INLINE static float second(float w) {
        return negative_fma(Lanes(w), Lanes(w), Lanes(1.0f)).v;
    }
};

// One factor's part of a slice, from kPlaces places on. kTermsInLine: a line of the matrix is a place, else it is a term. Beyond the last place come others
// again, beyond the last term zeros. A thread carries fours of a line.
template <class Factor, std::uint32_t kDepth, std::uint32_t kPlaces, std::uint32_t kStride,
          std::uint32_t kThreads, bool kTermsInLine>
class SliceOnItsWay {
  public:
    BITBAYES_INLINE SliceOnItsWay(const Matrix& matrix, std::uint32_t first_place,
                                  std::uint32_t thread)
        : thread_(thread),
          stride_(matrix.stride),
          terms_left_(kTermsInLine ? matrix.stride : matrix.lines) {
        const std::uint32_t last =
            (kTermsInLine ? matrix.lines - 1 : matrix.stride - 4) - first_place;
        std::uint32_t first = 0;
        each([&](std::uint32_t k, std::uint32_t term, std::uint32_t place) {
            const std::uint32_t inside = place < last ? place : last;
            const std::uint32_t at =
                kTermsInLine ? inside * stride_ + term : term * stride_ + inside;
            if (k == 0) first = at;
            offset_[k] = static_cast<std::int32_t>(at - first);
        });
        from_ = matrix.at + first +
                (kTermsInLine ? static_cast<std::size_t>(first_place) * stride_ : first_place);
    }

    // The next slice.
    BITBAYES_INLINE void fetch() {
        each([&](std::uint32_t k, std::uint32_t term, std::uint32_t) {
            if (kWholeLines || term < terms_left_) {
                carried_[k] = load_four(k == 0 ? from_ : from_ + offset_[k]);
            } else {
                carried_[k] = Four{};
            }
        });
        from_ += kTermsInLine ? kDepth : static_cast<std::size_t>(kDepth) * stride_;
        terms_left_ -= terms_left_ < kDepth ? terms_left_ : kDepth;
    }
    template <std::uint32_t kPlanes>
    BITBAYES_INLINE void arrive(float* slice, std::uint32_t plane) const {
        each([&](std::uint32_t k, std::uint32_t term, std::uint32_t place) {
            if ((k + 1) * kThreads > kFours && thread_ + k * kThreads >= kFours) return;
            Four values = carried_[k];
            put(slice, term, place, values);
            if constexpr (kPlanes == 2) {
                for (float& value : values.v) value = Factor::second(value);
                put(slice + plane, term, place, values);
            }
        });
    }

  private:
    static constexpr std::uint32_t kFours = kDepth * kPlaces / 4;
    static constexpr std::uint32_t kEach = (kFours + kThreads - 1) / kThreads;
    static constexpr bool kWholeLines = kTermsInLine && kDepth <= 16;  // lines are whole slices

    // visit(k, term, place), for the last four again where a thread has none. Of lines that are places, neighbours take two fours each:
    // what a warp stores at a time, 16 places of two terms, meets in no bank.
    template <class Visit>
    BITBAYES_INLINE void each(const Visit& visit) const {
        BITBAYES_UNROLL
        for (std::uint32_t k = 0; k < kEach; ++k) {
            std::uint32_t four = thread_ + k * kThreads;
            if ((k + 1) * kThreads > kFours && four >= kFours) four = kFours - 1;
            if constexpr (kTermsInLine) {
                const std::uint32_t pair = four / (2 * kPlaces);
                visit(k, pair * 8 + four % 2 * 4, four / 2 % kPlaces);
            } else {
                visit(k, four / (kPlaces / 4), four % (kPlaces / 4) * 4);
            }
        }
    }
    BITBAYES_INLINE static void put(float* slice, std::uint32_t term, std::uint32_t place,
                                    const Four& values) {
        float* to = slice + term * kStride + place;
        if constexpr (kTermsInLine) {
            BITBAYES_UNROLL
            for (std::uint32_t k = 0; k < 4; ++k) to[k * kStride] = values.v[k];
        } else {
            store_four(to, values);
        }
    }

    std::uint32_t thread_, stride_, terms_left_;
    const float* from_;                // the thread's first four
    std::int32_t offset_[kEach] = {};  // of the others from there
    Four carried_[kEach] = {};
};

// Of kCount places a thread has fours, kThreads fours apart, and then single ones: where the k-th is. Its fours are read at once.
template <std::uint32_t kCount, std::uint32_t kThreads>
BITBAYES_INLINE std::uint32_t place_of(std::uint32_t thread, std::uint32_t k) {
    constexpr std::uint32_t kInFours = kCount / 4 * 4;
    return k + 1 <= kInFours ? k / 4 * 4 * kThreads + thread * 4 + k % 4 : k * kThreads + thread;
}
template <std::uint32_t kCount, std::uint32_t kThreads>
BITBAYES_INLINE void load_places(float (&to)[kCount], const float* from, std::uint32_t thread) {
    constexpr std::uint32_t kFours = kCount / 4;
    BITBAYES_UNROLL
    for (std::uint32_t f = 0; f != kFours; ++f) {
        const Four four = load_four(from + place_of<kCount, kThreads>(thread, 4 * f));
        BITBAYES_UNROLL
        for (std::uint32_t i = 0; i < 4; ++i) to[4 * f + i] = four.v[i];
    }
    BITBAYES_UNROLL
    for (std::uint32_t k = 4 * kFours; k < kCount; ++k)
        to[k] = from[place_of<kCount, kThreads>(thread, k)];
}

// A thread's sums. A warp is 4 x 8 threads, whose order lets neighbours share what they read.
template <class Tile>
class Sums {
  public:
    BITBAYES_INLINE explicit Sums(std::uint32_t thread) {
        const std::uint32_t lane = thread % 32, warp = thread / 32, across = Tile::across / 8;
        x_ = lane / 2 % 8 + warp % across * 8;
        y_ = lane % 2 + lane / 16 * 2 + warp / across * 4;
        BITBAYES_UNROLL
        for (auto& row : sum_) {
            BITBAYES_UNROLL
            for (Lanes& sum : row) sum = Lanes(0.0f);
        }
    }

    // What the next term needs is loaded before a term is added.
    BITBAYES_INLINE void add(const float* slice) {
        Operands now, next;
        now.load(slice, 0, y_, x_);
        BITBAYES_UNROLL
        for (std::uint32_t term = 0; term < Tile::depth; ++term) {
            if (term + 1 < Tile::depth) next.load(slice, term + 1, y_, x_);
            BITBAYES_UNROLL
            for (std::uint32_t b = 0; b < Tile::wide; ++b) {
                BITBAYES_UNROLL
                for (std::uint32_t a = 0; a < Tile::tall; ++a)
                    sum_[a][b] = fma(Lanes(now.right[b]), Lanes(now.left[a]), sum_[a][b]);
            }
            now = next;
        }
    }

    // Those of the rows that are laid down at `pass`.
    BITBAYES_INLINE void lay_down(float* laid, std::uint32_t pass) const {
        BITBAYES_UNROLL
        for (std::uint32_t a = 0; a < Tile::at_once; ++a) {
            const std::uint32_t k = pass * Tile::at_once + a;
            const std::uint32_t row = place_of<Tile::tall, Tile::down>(y_, k);
            float* to = laid + (row - pass * Tile::rows_at_once) * Tile::right_stride;
            BITBAYES_UNROLL
            for (std::uint32_t b = 0; b < Tile::wide; ++b)
                to[place_of<Tile::wide, Tile::across>(x_, b)] = sum_[k][b].v;
        }
    }

  private:
    struct Operands {
        float left[Tile::tall] = {}, right[Tile::wide] = {};

        BITBAYES_INLINE void load(const float* slice, std::uint32_t term, std::uint32_t y,
                                  std::uint32_t x) {
            load_places<Tile::tall, Tile::down>(left, slice + term * Tile::left_stride, y);
            const float* rights = slice + Tile::depth * Tile::left_stride;
            load_places<Tile::wide, Tile::across>(right, rights + term * Tile::right_stride, x);
        }
    };

    std::uint32_t x_, y_;
    Lanes sum_[Tile::tall][Tile::wide];
};

// Sums in shared memory, numbered along the rows; each thread finishes every kThreads-th.
template <class Tile, std::uint32_t kPlanes>
struct LaidSums {
    static constexpr std::uint32_t kThreads = kPlanes * Tile::threads;
    static constexpr std::uint32_t kCount = Tile::rows_at_once * Tile::width;
    const float* sums;
    std::uint32_t top, first_column;

    BITBAYES_INLINE std::uint32_t row(std::uint32_t k) const { return top + k / Tile::width; }
    BITBAYES_INLINE std::uint32_t column(std::uint32_t k) const {
        return first_column + k % Tile::width;
    }
    BITBAYES_INLINE Lanes sum(std::uint32_t k, std::uint32_t plane = 0) const {
        return Lanes(sums[(plane * Tile::rows_at_once + k / Tile::width) * Tile::right_stride +
                          k % Tile::width]);
    }
};

// finish(LaidSums) for the block's tile of a product with so many terms and columns, part after part; sums beyond its rows and columns are
// there, and mean nothing. Blocks count columns first. With two planes, half of the threads have one plane, half the other.
template <class Tile, std::uint32_t kPlanes, bool kLeftInLine, bool kRightInLine, class Team,
          class Finish>
BITBAYES_INLINE void product(const Team& team, std::uint32_t terms, std::uint32_t columns,
                             const Matrix& left, const Matrix& right, float* shared,
                             const Finish& finish) {
    constexpr std::uint32_t kThreads = kPlanes * Tile::threads;
    const std::uint32_t across = (columns + Tile::width - 1) / Tile::width;
    const std::uint32_t top = team.block() / across * Tile::height,
                        first_column = team.block() % across * Tile::width;
    const std::uint32_t plane = team.thread() / Tile::threads;
    SliceOnItsWay<LeftFactor, Tile::depth, Tile::height, Tile::left_stride, kThreads, kLeftInLine>
        lefts(left, top, team.thread());
    SliceOnItsWay<RightFactor, Tile::depth, Tile::width, Tile::right_stride, kThreads, kRightInLine>
        rights(right, first_column, team.thread());
    const auto fetch = [&] {
        lefts.fetch();
        rights.fetch();
    };
    const auto arrive = [&](float* slice) {
        lefts.template arrive<kPlanes>(slice, Tile::plane);
        rights.template arrive<kPlanes>(slice + Tile::depth * Tile::left_stride, Tile::plane);
    };
    Sums<Tile> sums(team.thread() % Tile::threads);
    float* slice = shared;
    float* other = shared + kPlanes * Tile::plane;
    fetch();
    arrive(slice);
    BITBAYES_NO_UNROLL
    for (std::uint32_t first = Tile::depth; first < terms; first += Tile::depth) {
        fetch();      // before the barrier, beyond which the compiler would move it
        team.sync();  // the slice is there, and nobody reads the other one
        sums.add(slice + plane * Tile::plane);
        arrive(other);
        float* done = slice;
        slice = other;
        other = done;
    }
    team.sync();
    sums.add(slice + plane * Tile::plane);
    BITBAYES_UNROLL
    for (std::uint32_t pass = 0; pass < Tile::tall / Tile::at_once; ++pass) {
        team.sync();  // nobody reads what was there
        sums.lay_down(shared + plane * Tile::rows_at_once * Tile::right_stride, pass);
        team.sync();
        finish(LaidSums<Tile, kPlanes>{shared, top + pass * Tile::rows_at_once, first_column});
    }
}
