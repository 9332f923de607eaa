package dev.headway.api.internal;

import java.util.List;

/**
 * Ids of requests as servers that speak OpenAI's protocol make them: a prefix that names the
 * endpoint, and the id that the client sent. Stateless.
 */
public final class AnswerIds {

  /** Before the id of a completion. */
  public static final String COMPLETION = "cmpl-";

  /** Before the id of a chat completion. */
  public static final String CHAT_COMPLETION = "chatcmpl-";

  private AnswerIds() {}

  /** Returns the ids under which a server knows a request whose client sent {@code id}. */
  public static List<String> of(String id) {
    return List.of(COMPLETION + id, CHAT_COMPLETION + id);
  }
}
