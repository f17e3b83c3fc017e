#include "data/stream.hpp"
#include "data/spec.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "files.hpp"
#include "idx_files.hpp"

namespace bitbayes::data {
namespace {

using test::dense_values;
using test::expect_error;
using test::label_names;
using test::Names;
using test::Numbers;

/// A named pipe whose writing end stays open until close().
class Pipe {
  public:
    Pipe() : path_(folder_.path("pipe")) {
        mkfifo(path_.c_str(), 0600);
        file_ = open(path_.c_str(), O_RDWR);
    }
    ~Pipe() { close(); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    const std::string& path() const { return path_; }
    void write(std::string_view bytes) const {
        ASSERT_EQ(::write(file_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    void close() {
        if (file_ >= 0) ::close(file_);
        file_ = -1;
    }

  private:
    test::Folder folder_;
    std::string path_;
    int file_ = -1;
};

TEST(RowStream, AnswersWithTheRowsThatAreThere) {
    Pipe pipe;
    pipe.write("1,2,a\n3,4,b\n5,");
    RowStream stream(pipe.path());
    Dataset chunk;
    ASSERT_TRUE(stream.next(chunk, 100));  // would hang if it waited for more
    EXPECT_EQ(dense_values(chunk), (Numbers{1, 2, 3, 4}));
    pipe.write("6,c\n");
    ASSERT_TRUE(stream.next(chunk, 100));
    EXPECT_EQ(dense_values(chunk), (Numbers{5, 6}));
    EXPECT_EQ(label_names(chunk), (Names{"c"}));
    pipe.write("7,8,d");
    pipe.close();
    ASSERT_TRUE(stream.next(chunk, 100));
    EXPECT_EQ(dense_values(chunk), (Numbers{7, 8})) << "the last line needs no end";
    EXPECT_FALSE(stream.next(chunk, 100));
    EXPECT_FALSE(stream.next(chunk, 100));
}

TEST(RowStream, OneShortLineIsEnough) {
    Pipe pipe;
    pipe.write("5\n");
    ReadOptions options;
    options.known.features = 1;
    RowStream stream(pipe.path(), options);
    Dataset chunk;
    ASSERT_TRUE(stream.next(chunk, 100));
    EXPECT_EQ(dense_values(chunk), (Numbers{5}));
}

TEST(RowStream, UnpacksGzipAsItComes) {
    Pipe pipe;
    const std::string first = test::gzip("1 1:2\n-1 2:3\n"), second = test::gzip("1 3:4\n");
    pipe.write(first);
    RowStream stream(pipe.path());
    Dataset chunk;
    ASSERT_TRUE(stream.next(chunk, 100));
    EXPECT_EQ(chunk.rows, 2u);
    EXPECT_TRUE(chunk.sparse());
    pipe.write(second);
    ASSERT_TRUE(stream.next(chunk, 100));
    EXPECT_EQ(chunk.rows, 1u);
}

TEST(RowStream, HandsOutFilesInChunks) {
    const test::Folder folder;
    RowStream csv(folder.write("x.csv", "a,b\n1,x\n,x\n3,y\n?,y\n5,x\n"));
    RowStream images(folder.write("x", test::idx({5, 1}, {1, 2, 3, 4, 5})));
    for (RowStream* stream : {&csv, &images}) {
        Dataset chunk;
        std::vector<std::size_t> sizes;
        while (stream->next(chunk, 2)) sizes.push_back(chunk.rows);
        EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 2, 1}));
    }
    EXPECT_EQ(csv.notes(), (Names{folder.path("x.csv") + ": 2 missing values"}));
}

TEST(RowStream, ErrorsOfStdinHaveLines) {
    Pipe pipe;
    pipe.write("1,2,0\n3,4,1\n5,x,0\n");
    const int saved = dup(STDIN_FILENO), reader = open(pipe.path().c_str(), O_RDONLY);
    dup2(reader, STDIN_FILENO);
    pipe.close();
    {
        RowStream stream("-");
        Dataset chunk;
        ASSERT_TRUE(stream.next(chunk, 2));
        expect_error(ErrorCode::kData, "<stdin>:3: \"x\" in column 1",
                     [&] { stream.next(chunk, 2); });
    }
    expect_error(ErrorCode::kData, "<stdin>: empty", [] { load_data("-"); });
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(reader);
}

}  // namespace
}  // namespace bitbayes::data
