#include "sampler.h"

#include "addon-data.h"
#include "args.h"
#include "model.h"

#include <climits>
#include <cmath>

namespace {

// Highest bias that bans a token, as in the OpenAI API.
constexpr double BAN = -100.0;

float rangeArg(const Napi::Object & options, const char * name, double min, double max) {
    const double number = field(options, name, numberArg);
    if (number < min || number > max) {
        throwRange(options.Env(), std::string(name) + " must be from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return static_cast<float>(number);
}

// Reads a seed. Other APIs have 64-bit and negative seeds, whose lower half counts.
uint32_t readSeed(const Napi::Object & options) {
    constexpr double MAX_SAFE_INTEGER = 9007199254740991;
    const double number = field(options, "seed", numberArg);
    if (std::abs(number) > MAX_SAFE_INTEGER) throwRange(options.Env(), "seed must be a safe integer");
    const auto seed = static_cast<uint32_t>(static_cast<int64_t>(number));
    // llama.cpp takes this seed for "any random seed". Another one in its place keeps answers repeatable.
    return seed == LLAMA_DEFAULT_SEED ? 0x5EED5EED : seed;
}

std::vector<llama_logit_bias> readBias(const Napi::Object & options, int32_t vocabulary_size) {
    const auto array = field(options, "logitBias", arrayArg);
    if (array.Length() % 2 != 0) throwRange(options.Env(), "logitBias must hold pairs of token and bias");
    std::vector<llama_logit_bias> bias;
    for (uint32_t i = 0; i < array.Length(); i += 2) {
        const llama_token token = intArg(array.Get(i), "logitBias token", 0, vocabulary_size - 1);
        const double amount = numberArg(array.Get(i + 1), "logitBias bias");
        bias.push_back({token, amount <= BAN ? -INFINITY : static_cast<float>(amount)});
    }
    return bias;
}

std::vector<common_grammar_trigger> readTriggers(const Napi::Object & options) {
    const auto array = field(options, "grammarTriggers", arrayArg);
    std::vector<common_grammar_trigger> triggers;
    for (uint32_t i = 0; i < array.Length(); i++) {
        const auto object = objectArg(array.Get(i), "grammarTriggers");
        common_grammar_trigger trigger;
        trigger.type = choiceField<common_grammar_trigger_type>(
            object, "type",
            {{"token", COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN},
             {"word", COMMON_GRAMMAR_TRIGGER_TYPE_WORD},
             {"pattern", COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN},
             {"pattern-full", COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL}});
        trigger.value = field(object, "value", stringArg);
        triggers.push_back(trigger);
    }
    return triggers;
}

SamplerOptions readOptions(const Napi::Object & options, int32_t vocabulary_size) {
    SamplerOptions result;
    result.choice.seed = readSeed(options);
    result.choice.temperature = rangeArg(options, "temperature", 0, 100);
    result.choice.topP = rangeArg(options, "topP", 0, 1);
    result.choice.topK = field(options, "topK", intArg, 0, INT_MAX);
    result.choice.minP = rangeArg(options, "minP", 0, 1);
    result.adjustments.bias = readBias(options, vocabulary_size);
    result.adjustments.repeatPenalty = rangeArg(options, "repeatPenalty", 0.01, 100);
    result.adjustments.presencePenalty = rangeArg(options, "presencePenalty", -100, 100);
    result.adjustments.frequencyPenalty = rangeArg(options, "frequencyPenalty", -100, 100);
    result.stops = field(options, "stops", stringsArg);
    result.topLogprobs = field(options, "topLogprobs", intArg, -1, 20);
    result.preservedTokens = field(options, "preservedTokens", stringsArg);
    result.grammar = field(options, "grammar", stringArg);
    result.grammarLazy = field(options, "grammarLazy", boolArg);
    result.grammarTriggers = readTriggers(options);
    result.grammarPrefix = field(options, "grammarPrefix", stringArg);
    result.generationPrompt = field(options, "generationPrompt", stringArg);
    result.thinkingStartTag = field(options, "thinkingStartTag", stringArg);
    result.thinkingEndTags = field(options, "thinkingEndTags", stringsArg);
    result.thinkingBudgetTokens = field(options, "thinkingBudgetTokens", intArg, -1, INT_MAX);
    return result;
}

} // namespace

Napi::Object Sample::toObject(Napi::Env env) const {
    auto object = Napi::Object::New(env);
    object.Set("token", token);
    object.Set("text", text);
    if (end == End::end_of_generation) object.Set("end", "end-of-generation");
    if (end == End::stop_string) object.Set("end", "stop-string");
    if (!error.empty()) object.Set("error", error);
    if (!has_logprobs) return object;

    const auto toAlternative = [&](const TokenLogprob & top) {
        auto alternative = Napi::Object::New(env);
        alternative.Set("token", top.token);
        alternative.Set("logprob", top.logprob);
        return alternative;
    };
    object.Set("logprob", logprobs.chosen);
    object.Set("alternatives", toArray(env, logprobs.top, toAlternative));
    return object;
}

Napi::Function Sampler::define(Napi::Env env) {
    return DefineClass(env, "Sampler",
                       {InstanceMethod<&Sampler::acceptPrompt>("acceptPrompt"),
                        InstanceMethod<&Sampler::grammarPlace>("grammarPlace"),
                        InstanceMethod<&Sampler::flush>("flush")});
}

Sampler * Sampler::from(const Napi::Value & value) {
    return Unwrap(instanceArg(value, "sampler", AddonData::of(value.Env()).sampler, "a Sampler of this addon"));
}

Sampler::Sampler(const Napi::CallbackInfo & info) : Napi::ObjectWrap<Sampler>(info) {
    model_ = Model::from(info[0])->model();
    vocab_ = llama_model_get_vocab(model_.get());
    const auto options = readOptions(objectArg(info[1], "options"), llama_vocab_n_tokens(vocab_));
    for (const auto & text : options.preservedTokens) {
        const auto tokens = common_tokenize(vocab_, text, false, true);
        if (tokens.size() == 1) preserved_.insert(tokens[0]);
    }
    top_logprobs_ = options.topLogprobs;
    text_ = std::make_unique<TextStream>(options.stops);
    tokens_ = std::make_unique<TokenSampler>(vocab_, options);
    reportSize(tokens_->sizeBytes());
}

Sampler::~Sampler() {
    reportSize(0);
}

// Reports the size to the garbage collector, since a sampler may hold megabytes behind a small JavaScript object, and
// hundreds of them would pile up.
void Sampler::reportSize(int64_t bytes) {
    int64_t total = 0;
    napi_adjust_external_memory(Env(), bytes - reported_bytes_, &total);
    reported_bytes_ = bytes;
}

Sample Sampler::take(const float * logits, RowMemory & memory) noexcept {
    Sample sample;
    try {
        // llama.cpp aborts if a grammar that has failed or ended is used again.
        if (ended_) throw std::runtime_error("this sampler has ended");
        const llama_token token = tokens_->sample(logits, memory);
        tokens_->accept(token);
        sample.token = token;
        if (top_logprobs_ >= 0) {
            sample.has_logprobs = true;
            sample.logprobs = logprobsOf(LogitRow(logits, llama_vocab_n_tokens(vocab_), memory), token, top_logprobs_);
        }
        sample.text = text_->push(common_token_to_piece(vocab_, token, preserved_.count(token) > 0));
        if (text_->stopped()) {
            sample.end = End::stop_string;
        } else if (llama_vocab_is_eog(vocab_, token)) {
            sample.end = End::end_of_generation;
            sample.text += text_->flush();
        }
        ended_ = sample.end != End::none;
    } catch (const std::exception & error) {
        ended_ = true;
        sample = Sample();
        sample.error = error.what();
    }
    return sample;
}

bool Sampler::enterStep(bool is_next) {
    if (steps_ > 0 && !is_next) return false;
    steps_++;
    Ref();
    return true;
}

void Sampler::leaveStep() {
    steps_--;
    Unref();
}

void Sampler::refuseDuringStep() const {
    if (steps_ > 0) throw Napi::Error::New(Env(), "a step is using this sampler");
}

Napi::Value Sampler::acceptPrompt(const Napi::CallbackInfo & info) {
    refuseDuringStep();
    const auto tokens = int32ArrayArg(info[0], "tokens");
    const int32_t size = llama_vocab_n_tokens(vocab_);
    for (size_t i = 0; i < tokens.ElementLength(); i++) {
        if (tokens[i] < 0 || tokens[i] >= size) throwRange(info.Env(), "tokens holds an unknown token");
    }
    for (size_t i = 0; i < tokens.ElementLength(); i++) tokens_->acceptPrompt(tokens[i]);
    reportSize(tokens_->sizeBytes());
    return info.Env().Undefined();
}

Napi::Value Sampler::grammarPlace(const Napi::CallbackInfo & info) {
    refuseDuringStep();
    constexpr int DOUBLE_BITS = 53;
    const auto place = tokens_->grammarPlace();
    if (!place) return info.Env().Undefined();
    return Napi::Number::New(info.Env(), static_cast<double>(*place >> (64 - DOUBLE_BITS)));
}

Napi::Value Sampler::flush(const Napi::CallbackInfo & info) {
    refuseDuringStep();
    return Napi::String::New(info.Env(), text_->flush());
}
