/** What is told of `ffmpeg`'s complaints; the first that matches counts. They name paths and addresses in its memory. */
const problems: readonly (readonly [complaint: RegExp, reason: string])[] = [
  [/matches no streams/, 'it has no audio track'],
  [/moov atom not found/, 'its index is missing, so it is cut short or damaged'],
  [/not on whitelist|[Dd]ecoder .*not found|no decoder|Could not find codec/, 'its audio codec is not supported'],
  [/Cannot allocate memory/, 'it needs too much memory'],
]

/** Why `ffmpeg` made nothing of a file. */
export function ffmpegProblem(complaints: string): string {
  return problems.find(([complaint]) => complaint.test(complaints))?.[1] ?? 'it is damaged or cut short'
}
