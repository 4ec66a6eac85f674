/** One value for each field that steers sampling, besides temperature and top_p. */
export const sampling = {
  top_k: 5,
  min_p: 0.1,
  repeat_penalty: 1.1,
  repetition_penalty: 1.1,
  presence_penalty: 1,
  frequency_penalty: 1,
  logit_bias: { '5': 1 },
  seed: 1,
}
