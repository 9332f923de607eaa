package dev.headway.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Fields of OpenAI's and vLLM's that would change an answer and are not known here: refused by name
 * rather than ignored, unless they ask for what happens anyway. Absent, null, {@code []} and {@code
 * {}} always do. Fields that change no answer, such as {@code user}, are taken; what is not known
 * is named to the client. Any thread.
 */
final class UnsupportedFields {

  /** Unknown at both endpoints. */
  private static final List<Field> BOTH =
      List.of(
          field("functions"),
          field("function_call", "\"none\"", "\"auto\""),
          field("use_beam_search", "false"),
          field("length_penalty", "1", "1.0"),
          field("allowed_token_ids"),
          field("prompt_logprobs"),
          field("truncate_prompt_tokens"),
          field("skip_special_tokens", "true"),
          field("spaces_between_special_tokens", "true"),
          field("include_stop_str_in_output", "false"),
          field("return_token_ids", "false"),
          field("return_tokens_as_token_ids", "false"),
          field("logits_processors"),
          field("guided_whitespace_pattern"),
          field("chat_template"),
          field("chat_template_kwargs"),
          field("add_generation_prompt", "true"),
          field("continue_final_message", "false"),
          field("documents"),
          field("reasoning_effort", "\"none\""),
          field("modalities", "[\"text\"]"),
          field("audio"),
          field("prediction"),
          field("web_search_options"));

  private static final List<Field> COMPLETIONS =
      and(
          BOTH,
          field("tools"),
          field("tool_choice", "\"none\"", "\"auto\""), // without tools both are none
          field("suffix", "\"\""),
          field("prompt_embeds"),
          field("add_special_tokens", "true"),
          field("top_logprobs", "0"));

  /** Of SGLang's {@code /generate}. */
  private static final List<Field> GENERATE =
      List.of(
          field("input_embeds"),
          field("image_data"),
          field("audio_data"),
          field("video_data"),
          field("return_logprob", "false"),
          field("return_hidden_states", "false"),
          field("lora_path"),
          field("session_params"),
          field("custom_logit_processor"));

  /** Of its {@code sampling_params}. */
  private static final List<Field> SAMPLING =
      List.of(
          field("n", "1"),
          field("structural_tag"),
          field("stop_regex"),
          field("no_stop_trim", "false"),
          field("skip_special_tokens", "true"),
          field("spaces_between_special_tokens", "true"));

  /** Of {@code /tokenize}. */
  private static final List<Field> TOKENIZE =
      List.of(
          field("chat_template"),
          field("chat_template_kwargs"),
          field("add_generation_prompt", "true"),
          field("continue_final_message", "false"),
          field("mm_processor_kwargs"));

  private static final List<Field> CHAT =
      and(BOTH, field("echo", "false"), field("best_of", "1"), field("add_special_tokens"));

  /** Change no answer: notes of the client, names of its own, and what only tells others how. */
  private static final Set<String> HARMLESS =
      Set.of(
          "user",
          "metadata",
          "store",
          "service_tier",
          "parallel_tool_calls",
          "safety_identifier",
          "prompt_cache_key",
          "prompt_cache_retention",
          "guided_decoding_backend",
          "request_id",
          "rid");

  private static final int MOST_NAMED = 16;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  private UnsupportedFields() {}

  /**
   * Names the fields of a body and of objects in it that nothing has read and that may have asked
   * for something; 16 at most, which a header can hold. A name that is none of letters, digits and
   * {@code _.-} is left out.
   */
  static List<String> ignored(Fields... objects) {
    return Stream.of(objects)
        .flatMap(object -> object.unread().stream())
        .filter(name -> !HARMLESS.contains(name) && NAME.matcher(name).matches())
        .limit(MOST_NAMED)
        .toList();
  }

  /**
   * Refuses a body of {@code /v1/completions} that has one of them.
   *
   * @throws ApiException naming the field, what it may be and what it is
   */
  static void refuseForCompletion(Fields fields) {
    requireOwnInput(fields, "prompt", "messages", "/v1/chat/completions");
    COMPLETIONS.forEach(field -> field.check(fields));
  }

  /**
   * Refuses a body of {@code /v1/chat/completions} that has one of them.
   *
   * @throws ApiException naming the field, what it may be and what it is
   */
  static void refuseForChat(Fields fields) {
    requireOwnInput(fields, "messages", "prompt", "/v1/completions");
    CHAT.forEach(field -> field.check(fields));
  }

  /**
   * Refuses a body of {@code /generate} that has one of them.
   *
   * @throws ApiException naming the field, what it may be and what it is
   */
  static void refuseForGenerate(Fields fields) {
    GENERATE.forEach(field -> field.check(fields));
  }

  /**
   * Refuses a body of {@code /tokenize} that has one of them.
   *
   * @throws ApiException naming the field, what it may be and what it is
   */
  static void refuseForTokenize(Fields fields) {
    TOKENIZE.forEach(field -> field.check(fields));
  }

  /**
   * Refuses {@code sampling_params} that have one of them.
   *
   * @throws ApiException naming the field, what it may be and what it is
   */
  static void refuseForSampling(Fields fields) {
    SAMPLING.forEach(field -> field.check(fields));
  }

  /**
   * Refuses the input of the other endpoint.
   *
   * @param own what this endpoint takes
   * @param other what the other one takes, which is at {@code path}
   */
  private static void requireOwnInput(Fields fields, String own, String other, String path) {
    final JsonNode value = fields.get(other);
    if (!fields.has(other) || (value.isContainer() && value.isEmpty())) {
      return;
    }
    if (fields.has(own)) {
      throw fields.wrong(other, "absent beside " + own + ", for " + path + " takes it", value);
    }
    throw ApiException.invalid(
        own, own + " is missing; " + other + ", which is there, goes to " + path);
  }

  private static Field field(String name, String... harmless) {
    return new Field(name, List.of(harmless));
  }

  private static List<Field> and(List<Field> some, Field... more) {
    final List<Field> all = new ArrayList<>(some);
    all.addAll(List.of(more));
    return List.copyOf(all);
  }

  /**
   * A field.
   *
   * @param harmless values, as JSON, that ask for what happens anyway
   */
  private record Field(String name, List<String> harmless) {

    void check(Fields fields) {
      final JsonNode value = fields.get(name);
      final boolean empty = value.isContainer() && value.isEmpty();
      if (fields.has(name) && !empty && !harmless.contains(value.toString())) {
        throw fields.wrong(name, rule() + ": it is not supported", value);
      }
    }

    private String rule() {
      return harmless.isEmpty()
          ? "absent"
          : harmless.stream().collect(Collectors.joining(" or ", "absent or ", ""));
    }
  }
}
