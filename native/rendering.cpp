#include "rendering.h"

#include "addon-data.h"
#include "args.h"

#include <climits>

namespace {

constexpr double DEFAULT_CPU_MS = 10'000;
constexpr size_t DEFAULT_TEXT_BYTES = 64 << 20;

} // namespace

Napi::Function Rendering::define(Napi::Env env) {
    return DefineClass(env, "Rendering", {InstanceMethod<&Rendering::cancel>("cancel")});
}

std::shared_ptr<RenderLimits> Rendering::from(const Napi::Value & value) {
    if (value.IsUndefined()) return std::make_shared<RenderLimits>(DEFAULT_CPU_MS, DEFAULT_TEXT_BYTES);
    const auto & made_by = AddonData::of(value.Env()).rendering;
    return Unwrap(instanceArg(value, "rendering", made_by, "a Rendering of this addon"))->limits_;
}

Rendering::Rendering(const Napi::CallbackInfo & info) : Napi::ObjectWrap<Rendering>(info) {
    const auto options = objectArg(info[0], "options");
    const int32_t cpu_ms = field(options, "cpuMs", intArg, 1, INT_MAX);
    const int32_t text_bytes = field(options, "textBytes", intArg, 1, INT_MAX);
    limits_ = std::make_shared<RenderLimits>(cpu_ms, text_bytes);
}

Napi::Value Rendering::cancel(const Napi::CallbackInfo & info) {
    limits_->cancel();
    return info.Env().Undefined();
}
