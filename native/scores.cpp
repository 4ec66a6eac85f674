#include "scores.h"

#include "args.h"
#include "logits.h"

#include <algorithm>
#include <string>

// Most alternatives of one score.
static constexpr int32_t MAX_TOP = 20;

Scores Scores::from(const Napi::Object & wish, int32_t entries, int32_t vocabulary_size) {
    Scores scores;
    scores.entry_ = field(wish, "entry", intArg, 0, entries - 1);
    scores.top_ = std::min(field(wish, "top", intArg, 0, MAX_TOP), vocabulary_size);
    scores.vocabulary_size_ = vocabulary_size;
    const auto next = field(wish, "next", int32ArrayArg);
    scores.next_.assign(next.Data(), next.Data() + next.ElementLength());
    if (scores.rows() == 0 || scores.rows() > entries - scores.entry_) {
        throwRange(wish.Env(), "scores are of at least one token and at most " +
                                   std::to_string(entries - scores.entry_) + " after entry " +
                                   std::to_string(scores.entry_));
    }
    for (const llama_token token : scores.next_) {
        if (token < 0 || token >= vocabulary_size) throwRange(wish.Env(), "unknown token " + std::to_string(token));
    }
    scores.logprobs_.resize(scores.rows());
    scores.ranks_.resize(scores.rows());
    // A row that bans tokens may have fewer alternatives.
    scores.top_tokens_.resize(scores.rows() * scores.top_, LLAMA_TOKEN_NULL);
    scores.top_logprobs_.resize(scores.rows() * scores.top_, -INFINITY);
    return scores;
}

void Scores::compute(int32_t row, const float * logits, RowMemory & memory) {
    const auto found = logprobsOf(LogitRow(logits, vocabulary_size_, memory), next_[row], top_);
    const float own = logits[next_[row]];
    logprobs_[row] = found.chosen;
    ranks_[row] = 1 + std::count_if(logits, logits + vocabulary_size_, [own](float logit) { return logit > own; });
    for (size_t i = 0; i < found.top.size(); i++) {
        top_tokens_[row * top_ + i] = found.top[i].token;
        top_logprobs_[row * top_ + i] = found.top[i].logprob;
    }
}

template <typename Array, typename Value>
static Array toTypedArray(Napi::Env env, const std::vector<Value> & values) {
    auto array = Array::New(env, values.size());
    std::copy(values.begin(), values.end(), array.Data());
    return array;
}

Napi::Object Scores::toObject(Napi::Env env) const {
    auto object = Napi::Object::New(env);
    object.Set("logprobs", toTypedArray<Napi::Float32Array>(env, logprobs_));
    object.Set("ranks", toTypedArray<Napi::Int32Array>(env, ranks_));
    object.Set("topTokens", toTypedArray<Napi::Int32Array>(env, top_tokens_));
    object.Set("topLogprobs", toTypedArray<Napi::Float32Array>(env, top_logprobs_));
    return object;
}
