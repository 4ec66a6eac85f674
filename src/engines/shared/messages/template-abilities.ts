/** Abilities of a chat template. Every history is normalized into a form that they allow. */

export interface TemplateAbilities {
  /**
   * Positions of system messages that are shown, and answered if they are last: all, only the first message, or none.
   */
  readonly system: 'anywhere' | 'first' | 'nowhere'
  /** True if it takes two messages of one role in a row. */
  readonly repeatsRoles: boolean
  /** True if it takes a user message directly after a result, without an answer in between. */
  readonly userAfterResults: boolean
  /** True if it takes an assistant message before the first user message. */
  readonly assistantFirst: boolean
  /** True if it takes a prompt without a user message and still opens the assistant's turn. */
  readonly withoutUser: boolean
  /** Earlier calls that one assistant message can show. */
  readonly calls: 'several' | 'one' | 'none'
  /** True if it shows lists and objects in the arguments of earlier calls. */
  readonly nestedArguments: boolean
  /** True if it shows the text of an assistant message with calls. */
  readonly textBesideCalls: boolean
  /** True if it shows the text of an assistant message with thinking. */
  readonly textBesideThinking: boolean
  /** True if it takes calls without a result. */
  readonly openCalls: boolean
  /** True if it shows results without a call. */
  readonly looseResults: boolean
  /** True if it shows pictures in results. */
  readonly resultPictures: boolean
  /** True if it takes call ids of any form. Some templates insist on nine letters and digits. */
  readonly anyIds: boolean
  /**
   * `native`: shows tools, and llama.cpp parses its calls. `syntax`: only has a syntax for calls, so a system message
   * shows the tools. `none`: a system message shows the tools and defines a syntax for calls.
   */
  readonly tools: 'native' | 'syntax' | 'none'
  /** True if it has tags for thinking. */
  readonly thinks: boolean
}

/** Abilities that every template has if it shows alternating texts of user and assistant. */
export const plainestAbilities: TemplateAbilities = {
  system: 'nowhere',
  repeatsRoles: false,
  userAfterResults: false,
  assistantFirst: false,
  withoutUser: false,
  calls: 'none',
  nestedArguments: false,
  textBesideCalls: false,
  textBesideThinking: false,
  openCalls: false,
  looseResults: false,
  resultPictures: false,
  anyIds: false,
  tools: 'none',
  thinks: false,
}

/**
 * Abilities assumed of a server whose template is unknown: it reads calls as the API defines them, and insists on
 * results and alternating roles.
 */
export const carefulAbilities: TemplateAbilities = {
  ...plainestAbilities,
  system: 'first',
  userAfterResults: true,
  calls: 'several',
  nestedArguments: true,
  textBesideCalls: true,
  textBesideThinking: true,
  anyIds: true,
  tools: 'native',
}
