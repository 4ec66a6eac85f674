import { type Chapters, ignored, refused, supported } from './row.ts'

export const messagesRows: Chapters = {
  messages: {
    sentence: "`POST /v1/messages`, Anthropic's format. Errors below this path have its shape.",
    tables: {
      'Request fields': [
        supported('model'),
        supported(
          'messages',
          'roles `user`, `assistant` and `system` (anywhere); a last assistant message is continued',
        ),
        supported('max_tokens', 'required; thinking counts; -1 means no limit'),
        supported('system', 'a text or blocks; a block that begins with `x-anthropic-billing-header:` is dropped'),
        supported('stream'),
        supported('stop_sequences'),
        supported('temperature'),
        supported(['top_p', 'top_k'], '-1 is the same as leaving them out'),
        supported(
          'thinking',
          '`enabled` with `budget_tokens`, `adaptive` or `disabled`; off when left out. With `display: omitted` the text comes back only in the signature',
        ),
        supported('output_config', '`effort` (if thinking is on); `format` with a JSON schema'),
        supported('output_format', 'older name of `output_config.format`'),
        supported('tools', 'see Tools'),
        supported('tool_choice', 'see tool_choice'),
        supported('repetition_detection', 'as in chat/completions'),
        supported(['json_schema', 'guided_json', 'guided_choice', 'structured_outputs'], 'as in chat/completions'),
        refused(
          ['grammar', 'guided_grammar', 'guided_regex', 'regex', 'ebnf'],
          'use `output_config.format` with a schema',
        ),
        ignored(['guided_decoding_backend', 'guided_whitespace_pattern']),
        refused('mcp_servers', 'unless empty; call the servers from the client'),
        refused(
          'thread',
          'nothing is stored: send the whole conversation (tool runners of the SDK do so after this refusal)',
        ),
        refused('compaction', 'ask for a summary in a message instead'),
        ignored('metadata'),
        ignored('cache_control', 'everywhere: prompts are cached by their content'),
        ignored('context_management', 'nothing is cleared'),
        ignored([
          'service_tier',
          'speed',
          'inference_geo',
          'container',
          'diagnostics',
          'betas',
          'fallbacks',
          'fallback_credit_token',
        ]),
        ignored(['billing_policy', 'user_profile_id', 'workspace_id']),
      ],
      'Content blocks': [
        supported('text'),
        supported('tool_use', 'of assistants'),
        supported(
          'tool_result',
          "of users; without an earlier call it is read as the user's words; parts other than text and images become a note",
        ),
        supported('thinking', 'of assistants; with any signature or none'),
        ignored('redacted_thinking', 'of assistants'),
        supported(
          'document',
          'of users and in results; text, blocks of text and images, or `base64`; see [vision](../vision.md#documents). `url` needs the setting `file-urls`; `file` is refused; `citations` are accepted, and answers have none',
        ),
        supported('search_result', 'of users; as text'),
        supported(
          'image',
          "of users and in results; `base64` and `url`: see [vision](../vision.md). `file` is refused. Models of type `chat` refuse it (`unsupported_content`); in a tool's result they get a note instead",
        ),
        supported(
          [
            'web_search_tool_result',
            'web_fetch_tool_result',
            'code_execution_tool_result',
            'bash_code_execution_tool_result',
            'text_editor_code_execution_tool_result',
            'tool_search_tool_result',
            'mcp_tool_result',
            'advisor_tool_result',
          ],
          'read as their text',
        ),
        supported('compaction', 'read as its text'),
        ignored(['server_tool_use', 'mcp_tool_use', 'mcp_tool_listing', 'container_upload', 'fallback']),
        supported(
          ['tool_addition', 'tool_removal'],
          'in system messages: tools are offered or withdrawn from there on',
        ),
      ],
      Tools: [
        supported('custom', 'also without its type; `strict` as in chat'),
        ignored(
          ['bash_*', 'text_editor_*', 'memory_*', 'browser_toolset_*'],
          'supported if they bring an `input_schema`',
        ),
        supported(
          'web_search_*',
          'where the operator names a search server (`--search-url`): `max_uses` up to 8, domains filtered, no page is opened. Elsewhere it is left out, and refused as the only tool or the chosen one',
        ),
        ignored(
          ['web_fetch_*', 'code_execution_*', 'tool_search_tool_*', 'advisor_*', 'mcp_toolset'],
          'tools that the vendor runs',
        ),
        refused('computer_*', 'models are not trained for it'),
      ],
      tool_choice: [
        supported(['auto', 'any', 'tool', 'none'], 'each with `disable_parallel_tool_use`; `tool` is one call'),
      ],
    },
  },
  'messages/count_tokens': {
    sentence:
      "`POST /v1/messages/count_tokens` counts with the model's own template, tools and system prompt included.",
    tables: {
      'Request fields': [
        supported(
          ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'output_format'],
          'as in messages',
        ),
        refused(['mcp_servers', 'thread'], 'as in messages'),
        ignored([
          'compaction',
          'cache_control',
          'context_management',
          'speed',
          'betas',
          'billing_policy',
          'user_profile_id',
          'workspace_id',
        ]),
        ignored(['max_tokens', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k'], 'there is no answer'),
      ],
    },
  },
}
