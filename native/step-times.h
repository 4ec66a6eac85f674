#pragma once

#include <napi.h>

#include <array>
#include <chrono>

// Moments of a step, in order.
enum class Moment {
    begun,
    first_node, // the CPU has computed the first node of the graph: before it the graph is built and its inputs are written
    last_node,  // the same, its last node; on a device the CPU computes few nodes, at the beginning
    decoded,    // llama_decode has returned; a device may still compute
    computed,
    copied, // the rows of logits can be read
    sampled,
    COUNT,
};

// Measures the phases of one step.
class StepTimes {
  public:
    // Begins a step, and forgets all later moments.
    void begin() { moments_.fill(Clock::now()); }

    // Begins a step at the end of the one before.
    void beginBehind(const StepTimes & earlier) { moments_.fill(earlier.at(Moment::sampled)); }

    // Records a moment. Phases up to moments that are never recorded take no time.
    void note(Moment moment) {
        const auto now = Clock::now();
        for (auto i = static_cast<size_t>(moment); i < moments_.size(); i++) moments_[i] = now;
    }

    // Records that the CPU has computed a node of the graph. Cheap, since it is called for each node.
    void noteNode() {
        if (at(Moment::first_node) == at(Moment::begun)) note(Moment::first_node);
        else moments_[static_cast<size_t>(Moment::last_node)] = Clock::now();
    }

    // Returns milliseconds by phase. `is_on_cpu`: true if the CPU computes the whole model during llama_decode.
    Napi::Object toObject(Napi::Env env, bool is_on_cpu) const {
        const double after_nodes = between(Moment::last_node, Moment::decoded);
        auto times = Napi::Object::New(env);
        times.Set("build", between(Moment::begun, Moment::first_node));
        times.Set("submit", is_on_cpu ? 0 : after_nodes);
        times.Set("device", between(Moment::first_node, Moment::last_node) + between(Moment::decoded, Moment::computed));
        times.Set("copy", (is_on_cpu ? after_nodes : 0) + between(Moment::computed, Moment::copied));
        times.Set("sample", between(Moment::copied, Moment::sampled));
        return times;
    }

  private:
    using Clock = std::chrono::steady_clock;

    Clock::time_point at(Moment moment) const { return moments_[static_cast<size_t>(moment)]; }

    double between(Moment from, Moment to) const {
        return std::chrono::duration<double, std::milli>(at(to) - at(from)).count();
    }

    std::array<Clock::time_point, static_cast<size_t>(Moment::COUNT)> moments_ = {};
};
