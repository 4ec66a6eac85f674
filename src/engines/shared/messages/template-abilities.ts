/** Abilities of a chat template. The normaliser puts every history into the shape that these abilities allow. */

export interface TemplateAbilities {
  /** Places in which system messages are shown, and answered where they are the last: all, only the first message, or none. */
  readonly system: 'anywhere' | 'first' | 'nowhere'
  /** Takes two messages of one speaker in a row. */
  readonly repeatsRoles: boolean
  /** Takes a message of the user directly behind a result, with no answer between them. */
  readonly userAfterResults: boolean
  /** Takes an assistant's message in front of the user's first one. */
  readonly assistantFirst: boolean
  /** Takes a prompt without any message of the user, and opens the assistant's turn all the same. */
  readonly withoutUser: boolean
  /** Earlier calls that one assistant message can show. */
  readonly calls: 'several' | 'one' | 'none'
  /** Shows arguments of earlier calls that are lists or objects. */
  readonly nestedArguments: boolean
  /** Shows the text of an assistant message that also makes calls. */
  readonly textBesideCalls: boolean
  /** Shows the text of an assistant message that also has thinking. */
  readonly textBesideThinking: boolean
  /** Takes calls that have no result. */
  readonly openCalls: boolean
  /** Shows results that belong to no call. */
  readonly looseResults: boolean
  /** Shows pictures in results. */
  readonly resultPictures: boolean
  /** Takes call ids of any form. Some templates insist on nine letters and digits. */
  readonly anyIds: boolean
  /**
   * Native: shows tools, and llama.cpp reads its calls. Syntax: it only has a syntax for calls, so a system message shows the
   * tools. None: a system message shows the tools and gives them a syntax.
   */
  readonly tools: 'native' | 'syntax' | 'none'
  /** Has tags for thinking. */
  readonly thinks: boolean
}

/** Abilities that every template has which shows a user's and an assistant's text in turn. */
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
 * Abilities to assume of a server whose template is unknown: it reads calls as the API defines them, and insists on their
 * results and on speakers in turn.
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
