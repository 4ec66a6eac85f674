/** The shipped catalog: every manifest of this folder, in the order in which models are listed. */
import starterChat from './chat/starter-chat.toml'

/** When this list was last put together: the age of its models in listings. */
export const shippedAtMs = Date.UTC(2026, 10, 20)

export const shippedManifests: readonly { readonly file: string; readonly content: unknown }[] = [
  { file: 'models/chat/starter-chat.toml', content: starterChat },
]
