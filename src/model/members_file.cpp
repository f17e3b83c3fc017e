#include "model/members_file.hpp"

#include <fmt/format.h>

#include "bitbayes/types/error.hpp"
#include "bitbayes/types/version.hpp"
#include "container/container.hpp"
#include "container/container_reader.hpp"
#include "model/model_codec.hpp"
#include "model/model_file.hpp"

namespace bitbayes::model {
namespace {

std::string tensor_name(std::size_t member) { return fmt::format("member{}", member); }

/// Calls write(metadata, tensors) with views of the members' bytes.
template <class Write>
auto encoded(std::span<const learn::ModelState> members, const Write& write) {
    const std::string problem = problem_of_members(members);
    if (!problem.empty()) throw Error(ErrorCode::kUsage, problem + ": nothing written");
    const container::Metadata metadata{{"format", "bitbayes"},
                                       {"format_version", std::to_string(kMembersFormat)},
                                       {"library_version", version()},
                                       {"members", std::to_string(members.size())}};
    std::vector<std::string> files;
    for (const auto& member : members) files.push_back(model_bytes(member));
    std::vector<container::OutgoingTensor> tensors;
    for (std::size_t m = 0; m < files.size(); ++m) {
        const std::size_t size = files[m].size();
        tensors.push_back({tensor_name(m),
                           container::ElementType::kU8,
                           {size},
                           container::rows_in_memory(files[m].data(), 1, size, size)});
    }
    return write(metadata, tensors);
}

class MembersReader : private container::ContainerReader {
  public:
    MembersReader(const container::Container& file, const std::string& name)
        : ContainerReader(file, name), file_(file), name_(name) {}

    std::vector<learn::ModelState> members() const {
        const auto count = number<std::size_t>("members");
        require(count >= 2 && count <= kMaxMembers, "members must be 2 to 1000");
        require(count == file_.tensors.size(), "members is not the number of tensors");
        std::vector<learn::ModelState> result;
        for (std::size_t m = 0; m < count; ++m) {
            const auto view = tensor(tensor_name(m), container::ElementType::kU8);
            require(view.shape.size() == 1, tensor_name(m) + " must have one dimension");
            result.push_back(parse_model(view.bytes, fmt::format("{}: member {}", name_, m)));
        }
        const std::string problem = problem_of_members(result);
        require(problem.empty(), problem);
        return result;
    }

  private:
    const container::Container& file_;
    const std::string& name_;
};

}  // namespace

std::string problem_of_members(std::span<const learn::ModelState> members) {
    if (members.empty()) return "no members";
    if (members.size() > kMaxMembers) return "more than 1000 members";
    const learn::ModelState& first = members.front();
    for (std::size_t m = 1; m < members.size(); ++m) {
        const learn::ModelState& other = members[m];
        const auto differs = [&](const char* what) {
            return fmt::format("members 0 and {} differ in their {}", m, what);
        };
        if (other.class_names != first.class_names) return differs("classes");
        if (other.columns != first.columns) return differs("columns");
        if (other.preprocessing != first.preprocessing) return differs("preprocessing");
        if (other.architecture != first.architecture) return differs("network");
        if (other.memory != first.memory) return differs("memory");
        if (!first.rule().has_posterior || !other.rule().has_posterior) {
            return "members by BackProp have no probabilities to average";
        }
    }
    return "";
}

void save_members(const std::string& path, std::span<const learn::ModelState> members,
                  Existing existing) {
    if (members.size() == 1) return save_model(path, members.front(), existing);
    encoded(members, [&](const auto& metadata, const auto& tensors) {
        container::write_container(path, metadata, tensors, existing);
    });
}

std::string members_bytes(std::span<const learn::ModelState> members) {
    if (members.size() == 1) return model_bytes(members.front());
    return encoded(members, [&](const auto& metadata, const auto& tensors) {
        return container::container_bytes(metadata, tensors);
    });
}

std::vector<learn::ModelState> load_members(const std::string& path) {
    const std::string bytes = container::read_container_file(path);
    return parse_members(bytes, path);
}

std::vector<learn::ModelState> parse_members(std::string_view bytes, const std::string& name) {
    const auto file = container::parse_container(bytes, name);
    if (model_format(file, name) == kMembersFormat) return MembersReader(file, name).members();
    std::vector<learn::ModelState> one;
    one.push_back(decode_model(file, name));
    return one;
}

}  // namespace bitbayes::model
