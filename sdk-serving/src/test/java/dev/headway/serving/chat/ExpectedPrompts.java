package dev.headway.serving.chat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A folder of templates with expected.json, which scripts/chat-templates.py writes. */
final class ExpectedPrompts {

  private static final JsonMapper JSON = JsonMapper.shared();

  final Path folder;
  private final JsonNode root;

  ExpectedPrompts(Path folder) throws IOException {
    this.folder = folder;
    this.root = JSON.readTree(Files.readString(folder.resolve("expected.json")));
  }

  Map<String, String> tokens() {
    final Map<String, String> tokens = new LinkedHashMap<>();
    root.path("tokens").properties().forEach(e -> tokens.put(e.getKey(), e.getValue().asString()));
    return tokens;
  }

  List<String> templates() {
    return root.path("prompts").properties().stream().map(Map.Entry::getKey).toList();
  }

  List<List<ChatMessage>> conversations() {
    final List<List<ChatMessage>> conversations = new ArrayList<>();
    for (JsonNode conversation : root.path("conversations")) {
      final List<ChatMessage> messages = new ArrayList<>();
      for (JsonNode message : conversation) {
        messages.add(
            new ChatMessage(message.path("role").asString(), message.path("content").asString()));
      }
      conversations.add(messages);
    }
    return conversations;
  }

  /** What Python's Jinja2 makes of it; null if the template does not take it. */
  String prompt(String template, int conversation) {
    final JsonNode prompt = root.path("prompts").path(template).path(conversation);
    return prompt.isNull() ? null : prompt.asString();
  }

  JinjaTemplate open(String template) throws IOException {
    return JinjaTemplate.of(template, Files.readString(folder.resolve(template)), tokens());
  }
}
