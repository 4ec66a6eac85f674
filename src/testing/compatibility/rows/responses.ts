import { type Chapters, ignored, refused, supported } from './row.ts'

export const responsesRows: Chapters = {
  responses: {
    sentence:
      "`POST /v1/responses`, and `POST /v1/responses/input_tokens`, which counts the tokens of the same body. OpenAI's format; responses are not stored.",
    tables: {
      'Request fields': [
        supported('model'),
        supported('input', 'a text, or items: see Input items'),
        supported('instructions', 'a text or items; placed before the input'),
        supported('stream'),
        supported('max_output_tokens', 'thinking counts; -1 means no limit'),
        supported(['temperature', 'top_p']),
        supported('tools', 'see Tools'),
        supported('tool_choice', 'see tool_choice'),
        supported('parallel_tool_calls'),
        supported(
          'reasoning',
          '`effort`; with a `summary` other than `none`, thinking comes as a summary, otherwise as raw content',
        ),
        supported(
          'text',
          '`format` as `response_format` in chat/completions, without the inner object; `verbosity` is ignored',
        ),
        supported('include', '`reasoning.encrypted_content` and `message.output_text.logprobs`; others are ignored'),
        supported(
          'top_logprobs',
          'if `include` asks for log probabilities; for the same tokens as in chat/completions',
        ),
        supported(
          [
            'top_k',
            'min_p',
            'presence_penalty',
            'frequency_penalty',
            'repeat_penalty',
            'repetition_penalty',
            'logit_bias',
            'seed',
          ],
          'as in chat/completions',
        ),
        supported(
          ['reasoning_effort', 'thinking', 'enable_thinking', 'chat_template_kwargs', 'repetition_detection'],
          'as in chat/completions',
        ),
        supported(['json_schema', 'guided_json', 'guided_choice', 'structured_outputs'], 'as in chat/completions'),
        refused(['grammar', 'guided_grammar', 'guided_regex', 'regex', 'ebnf'], 'use `text.format` with a schema'),
        ignored(['guided_decoding_backend', 'guided_whitespace_pattern']),
        refused(['previous_response_id', 'conversation'], 'send the whole conversation'),
        refused('prompt', 'there are no stored prompts: send the text'),
        refused('background', '`false` is accepted'),
        supported(
          'store',
          '`false`: later requests cannot refer to items of this answer. Responses always say `store: false`, since they cannot be fetched',
        ),
        ignored(['metadata', 'user', 'safety_identifier', 'prompt_cache_key'], 'repeated in the response'),
        ignored(['prompt_cache_options', 'prompt_cache_retention']),
        ignored('truncation', 'a conversation that is too long is a 400, with `auto` too'),
        ignored('max_tool_calls', 'except by web searches, which it limits'),
        ignored(['stream_options', 'service_tier', 'context_management', 'moderation', 'access_programs', 'image']),
      ],
      'Input items': [
        supported('message', 'also without its type; `developer` is read as `system`'),
        supported(
          'reasoning',
          'read from its content, else from an `encrypted_content` of this server, else from its summary; left out before the last user message',
        ),
        supported(
          ['function_call', 'function_call_output'],
          'with `namespace`; neighbouring calls are one turn; outputs may be arrays with images',
        ),
        supported(['custom_tool_call', 'custom_tool_call_output']),
        supported(['local_shell_call', 'local_shell_call_output']),
        supported(
          ['shell_call', 'shell_call_output', 'apply_patch_call', 'apply_patch_call_output'],
          'as calls of functions',
        ),
        supported(['tool_search_call', 'tool_search_output'], 'tools that were found can be called from there on'),
        supported(
          ['computer_call', 'computer_call_output'],
          'as calls of a function `computer`, whose result is the screenshot',
        ),
        supported('mcp_call', 'a call with its result'),
        supported('additional_tools', 'offers more tools'),
        supported('agent_message', 'read as a user message; readable `encrypted_content` is its text'),
        supported('configuration_update', 'its effort counts'),
        supported(
          'item_reference',
          'an item of an earlier answer to the same account (kept for `--response-items-minutes` after its last use); each may be named once. Unknown items are a 400: send the item itself',
        ),
        ignored(['compaction', 'compaction_trigger'], 'unless a compaction holds text of this server'),
        ignored(
          ['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call'],
          'tools of the vendor',
        ),
        ignored(['mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response']),
        ignored(['program', 'program_output'], 'and every type that is not known'),
      ],
      'Content parts': [
        supported(
          ['input_text', 'output_text', 'text'],
          'parts of system messages are joined by an empty line, others by a line break',
        ),
        supported('refusal', 'of assistants'),
        supported(
          'input_image',
          "in any role, and in outputs of tools; `image_url` is the URL, also in an object; see [vision](../vision.md). `file_id` is refused. Models of type `chat` refuse it (`unsupported_content`); in a tool's output they get a note instead",
        ),
        supported(
          'input_file',
          'of users, and in outputs of tools; `file_data` as base64, `filename`, `detail`; see [vision](../vision.md#documents). `file_url` needs the setting `file-urls`; `file_id` is refused',
        ),
        supported('input_audio', 'of users, as in chat/completions; in outputs of tools a note takes its place'),
      ],
      Tools: [
        supported('function', 'flat, or in an object as in chat/completions; `encrypted` in schemas is ignored'),
        supported('custom', "its input is streamed as text; the format's grammar is not enforced"),
        supported(
          'namespace',
          'the model sees its functions and custom tools as `namespace__name`; calls come back with both parts',
        ),
        supported('local_shell', 'calls come back as `local_shell_call`'),
        supported('tool_search', 'with `execution: client`'),
        supported(
          ['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'],
          'as in messages, with `filters`; at most `max_tool_calls` searches; citations where the answer names an address',
        ),
        ignored(
          ['file_search', 'code_interpreter', 'image_generation', 'mcp', 'programmatic_tool_calling'],
          'tools that the vendor runs: the model never sees them',
        ),
        ignored(['computer', 'computer_use_preview', 'shell', 'apply_patch'], 'and every type that is not known'),
      ],
      tool_choice: [
        supported(['none', 'auto', 'required']),
        supported(['function', 'custom'], 'called exactly once; with `namespace` if the tool has one'),
        supported('allowed_tools'),
        refused(
          [
            'web_search_preview',
            'file_search',
            'code_interpreter',
            'image_generation',
            'mcp',
            'computer_use_preview',
            'apply_patch',
            'shell',
          ],
          'tools that the model is not offered cannot be forced; the search of the web can where it is',
        ),
      ],
    },
  },
}
