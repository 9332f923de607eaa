package dev.headway.server.chat;

/**
 * A message of a conversation.
 *
 * @param role {@code system}, {@code developer}, {@code user}, {@code assistant} or {@code tool}
 * @param content its text
 */
public record ChatMessage(String role, String content) {}
