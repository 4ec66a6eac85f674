// Chooses tokens from made-up logits, with the addon's code and with llama.cpp's own chain of samplers.
//
//   sample chances SETTINGS DRAWS   compares the drawn tokens with llama.cpp's chances
//   sample time SETTINGS            measures the time of one choice
//
// SETTINGS: vocabulary; spread, peak and grid of the logits; temperature, top-p, top-k, min-p; repeat, presence and frequency
// penalty; biased tokens; tokens that are left. Prints JSON, which sampling-program.ts describes.
#include "logit-adjustments.h"
#include "token-chooser.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

struct Settings {
    int32_t vocabulary;
    float spread; // standard deviation of the logits
    float peak;   // by which the first of those that stand out is higher
    float grid;   // logits are multiples of this, so that many are equal; 0: they are not
    int32_t left; // neighbours that are not banned, as a grammar leaves them; 0: all
    ChoiceOptions choice;
    AdjustmentOptions adjustments;

    bool repeats() const { return adjustments.repeatPenalty != 1.0f; }
    bool counts() const { return adjustments.presencePenalty != 0.0f || adjustments.frequencyPenalty != 0.0f; }
};

// Tokens of the prompt, and of the answer so far.
constexpr int32_t PROMPT_TOKENS = 2000;
constexpr int32_t ANSWER_TOKENS = 200;

static llama_token promptToken(const Settings & settings, int32_t index) {
    return index * 7919LL % settings.vocabulary;
}

static llama_token answerToken(const Settings & settings, int32_t index) {
    return index % 50 * 104729LL % settings.vocabulary;
}

// Returns logits of a normal distribution with some high ones, as of a trained model.
static std::vector<float> makeLogits(const Settings & settings, uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0f, settings.spread);
    std::vector<float> logits(settings.vocabulary);
    for (auto & logit : logits) logit = normal(random);
    for (int32_t i = 0; i < 30; i++) logits[random() % settings.vocabulary] += settings.peak * 20.0f / (20.0f + i);
    if (settings.grid > 0) {
        for (auto & logit : logits) logit = std::round(logit / settings.grid) * settings.grid;
    }
    for (int32_t i = 0; settings.left > 0 && i < settings.vocabulary; i++) {
        const int32_t place = i - settings.vocabulary / 3;
        if (place < 0 || place >= settings.left) logits[i] = -INFINITY;
    }
    return logits;
}

static LogitAdjustments makeAdjustments(const Settings & settings) {
    LogitAdjustments adjustments(settings.adjustments);
    for (int32_t i = 0; i < PROMPT_TOKENS; i++) adjustments.acceptPrompt(promptToken(settings, i));
    for (int32_t i = 0; i < ANSWER_TOKENS; i++) adjustments.accept(answerToken(settings, i));
    return adjustments;
}

class Ours {
  public:
    explicit Ours(const Settings & settings)
        : size_(settings.vocabulary), adjustments_(makeAdjustments(settings)), chooser_(settings.choice) {}

    llama_token sample(const float * logits) {
        if (adjustments_.isNone()) return chooser_.choose(LogitRow(logits, size_, memory_));
        memory_.logits.assign(logits, logits + size_);
        adjustments_.apply(memory_.logits.data());
        return chooser_.choose(LogitRow(memory_.logits.data(), size_, memory_));
    }

  private:
    const int32_t size_;
    LogitAdjustments adjustments_;
    TokenChooser chooser_;
    RowMemory memory_;
};

class Theirs {
  public:
    Theirs(const Settings & settings, bool is_drawn)
        : size_(settings.vocabulary), chain_(llama_sampler_chain_init({true})) {
        const auto & [seed, temperature, top_p, top_k, min_p] = settings.choice;
        const auto & [bias, repeat, presence, frequency] = settings.adjustments;
        if (!bias.empty()) add(llama_sampler_init_logit_bias(size_, bias.size(), bias.data()));
        if (settings.repeats()) {
            auto * penalty = add(llama_sampler_init_penalties(size_, 1 << 18, repeat, 0, 0));
            for (int32_t i = 0; i < PROMPT_TOKENS; i++) llama_sampler_accept(penalty, promptToken(settings, i));
        }
        if (settings.counts()) add(llama_sampler_init_penalties(size_, 1 << 18, 1, frequency, presence));
        for (int32_t i = 0; i < ANSWER_TOKENS; i++) llama_sampler_accept(chain_, answerToken(settings, i));
        if (temperature == 0.0f) {
            add(llama_sampler_init_greedy());
            return;
        }
        add(llama_sampler_init_top_k(top_k));
        add(llama_sampler_init_top_p(top_p, 1));
        add(llama_sampler_init_min_p(min_p, 1));
        add(llama_sampler_init_temp(temperature));
        if (is_drawn) add(llama_sampler_init_dist(seed));
    }
    ~Theirs() { llama_sampler_free(chain_); }

    llama_token_data_array apply(const float * logits) {
        candidates_.resize(size_);
        for (int32_t token = 0; token < size_; token++) candidates_[token] = {token, logits[token], 0.0f};
        llama_token_data_array array = {candidates_.data(), candidates_.size(), -1, false};
        llama_sampler_apply(chain_, &array);
        return array;
    }

  private:
    llama_sampler * add(llama_sampler * sampler) {
        llama_sampler_chain_add(chain_, sampler);
        return sampler;
    }

    const int32_t size_;
    llama_sampler * chain_;
    std::vector<llama_token_data> candidates_;
};

static bool findsTheSameGreedily(Settings settings, const std::vector<float> & logits) {
    settings.choice.temperature = 0.0f;
    Theirs theirs(settings, false);
    const auto array = theirs.apply(logits.data());
    return Ours(settings).sample(logits.data()) == array.data[array.selected].id;
}

static void printChances(const Settings & settings, int32_t draws) {
    // Cells with fewer expected draws are counted together.
    constexpr double LEAST_EXPECTED = 10;
    const auto logits = makeLogits(settings, 1);
    Theirs theirs(settings, false);
    auto kept = theirs.apply(logits.data());
    const auto isBanned = [](const llama_token_data & candidate) { return candidate.logit == -INFINITY; };
    kept.size = std::remove_if(kept.data, kept.data + kept.size, isBanned) - kept.data;
    // Counts by logit, since either of two equal ones may be kept.
    auto adjusted = logits;
    makeAdjustments(settings).apply(adjusted.data());
    std::map<float, double> expected;
    double total = 0;
    float max = -INFINITY;
    for (size_t i = 0; i < kept.size; i++) max = std::max(max, kept.data[i].logit);
    for (size_t i = 0; i < kept.size; i++) total += std::exp(static_cast<double>(kept.data[i].logit) - max);
    for (size_t i = 0; i < kept.size; i++) {
        expected[adjusted[kept.data[i].id]] += draws * std::exp(static_cast<double>(kept.data[i].logit) - max) / total;
    }

    std::map<float, int32_t> drawn;
    std::set<llama_token> tokens;
    Ours ours(settings);
    for (int32_t i = 0; i < draws; i++) {
        const llama_token token = ours.sample(logits.data());
        drawn[adjusted[token]]++;
        tokens.insert(token);
    }

    double chi_square = 0;
    double rest_expected = 0;
    int32_t rest_drawn = 0;
    int32_t cells = 0;
    const auto addCell = [&](double wanted, int32_t found) {
        chi_square += (found - wanted) * (found - wanted) / wanted;
        cells++;
    };
    for (const auto & [logit, wanted] : expected) {
        const int32_t found = drawn[logit];
        drawn.erase(logit);
        if (wanted >= LEAST_EXPECTED) {
            addCell(wanted, found);
            continue;
        }
        rest_expected += wanted;
        rest_drawn += found;
    }
    if (rest_expected >= LEAST_EXPECTED) addCell(rest_expected, rest_drawn);
    const auto never = std::accumulate(drawn.begin(), drawn.end(), 0, [](int32_t sum, const auto & entry) {
        return sum + entry.second;
    });
    const char * format = "{\"chiSquare\": %.3f, \"degreesOfFreedom\": %d, \"kept\": %zu, \"drawn\": %zu, "
                          "\"neverDraws\": %d, \"isGreedySame\": %s}\n";
    std::printf(format, chi_square, cells - 1, kept.size, tokens.size(), never,
                findsTheSameGreedily(settings, logits) ? "true" : "false");
}

// Returns the mean time without the fastest and the slowest tenth.
template <typename Sampling> static double meanMicroseconds(size_t repeats, Sampling sampling) {
    std::vector<double> times;
    for (size_t i = 0; i < repeats; i++) {
        const auto start = std::chrono::steady_clock::now();
        sampling(i);
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    const size_t left_out = repeats / 10;
    return std::accumulate(times.begin() + left_out, times.end() - left_out, 0.0) / (repeats - 2 * left_out);
}

static void printTimes(const Settings & settings) {
    // 16 rows, as far apart in memory as in a step of 16 streams.
    std::vector<std::vector<float>> rows;
    for (uint32_t seed = 1; seed <= 16; seed++) rows.push_back(makeLogits(settings, seed));
    Ours ours(settings);
    Theirs theirs(settings, true);
    const double mine = meanMicroseconds(400, [&](size_t i) { ours.sample(rows[i % rows.size()].data()); });
    const double chain = meanMicroseconds(48, [&](size_t i) { theirs.apply(rows[i % rows.size()].data()); });
    std::printf("{\"inferdMs\": %.5f, \"llamaMs\": %.5f}\n", mine / 1000, chain / 1000);
}

int main(int count, char ** values) {
    if (count < 16) return 2;
    const auto number = [&](int32_t index) { return static_cast<float>(std::atof(values[index])); };
    Settings settings = {};
    settings.vocabulary = std::atoi(values[2]);
    settings.spread = number(3);
    settings.peak = number(4);
    settings.grid = number(5);
    settings.choice = {42, number(6), number(7), std::atoi(values[8]), number(9)};
    settings.adjustments = {{}, number(10), number(11), number(12)};
    const int32_t biased = std::atoi(values[13]);
    for (int32_t i = 0; i < biased; i++) {
        settings.adjustments.bias.push_back({i * 31 % settings.vocabulary, i % 10 == 0 ? -INFINITY : (i % 7) - 3.0f});
    }
    settings.left = std::atoi(values[14]);
    if (std::strcmp(values[1], "time") == 0) printTimes(settings);
    else printChances(settings, std::atoi(values[15]));
    return 0;
}
