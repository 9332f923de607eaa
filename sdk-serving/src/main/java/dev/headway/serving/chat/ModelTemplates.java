package dev.headway.serving.chat;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Templates of a Hugging Face folder: {@code chat_template.jinja}, else {@code chat_template} in
 * {@code chat_template.json}, which is beside models that take images too, else in {@code
 * tokenizer_config.json}: a text or a list of named ones, of which {@code default} is taken.
 */
public final class ModelTemplates {

  private static final String FILE = "chat_template.jinja";
  private static final String PROCESSOR = "chat_template.json";
  private static final String CONFIG = "tokenizer_config.json";
  private static final String TEMPLATE = "chat_template";
  private static final String[] SPECIAL_TOKENS = {
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"
  };
  private static final JsonMapper JSON = JsonMapper.shared();

  private final @Nullable Path folder;
  private final JsonNode config;

  private ModelTemplates(@Nullable Path folder, JsonNode config) {
    this.folder = folder;
    this.config = config;
  }

  /** Of a model that is in no folder: it has no template, and no special tokens. */
  public static ModelTemplates none() {
    return new ModelTemplates(null, JSON.createObjectNode());
  }

  /**
   * Reads what a folder says of its template.
   *
   * @throws IOException if {@code tokenizer_config.json} is there and is not JSON
   */
  public static ModelTemplates of(Path folder) throws IOException {
    return new ModelTemplates(folder, json(folder.resolve(CONFIG)));
  }

  /** What a file holds, nothing if it is not there. */
  private static JsonNode json(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return JSON.createObjectNode();
    }
    try {
      return JSON.readTree(file.toFile());
    } catch (JacksonException e) {
      throw new IOException("the file must hold JSON: file=" + file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Returns the model's own template, if it has one.
   *
   * @throws IOException if it cannot be read or run; the message names file, line and reason
   */
  public Optional<ChatTemplate> own() throws IOException {
    if (folder == null) {
      return Optional.empty();
    }
    final Path beside = folder.resolve(FILE);
    if (Files.isRegularFile(beside)) {
      return Optional.of(file(beside));
    }
    final Path processor = folder.resolve(PROCESSOR);
    final Optional<ChatTemplate> ofProcessor = in(processor, json(processor));
    return ofProcessor.isPresent() ? ofProcessor : in(folder.resolve(CONFIG), config);
  }

  private Optional<ChatTemplate> in(Path file, JsonNode json) throws IOException {
    final JsonNode own = json.path(TEMPLATE);
    final JsonNode text = own.isArray() ? named(own, "default") : own;
    return text.isString()
        ? Optional.of(jinja(file + "#" + TEMPLATE, text.stringValue()))
        : Optional.empty();
  }

  private static JsonNode named(JsonNode templates, String name) {
    for (JsonNode template : templates) {
      if (template.path("name").asString("").equals(name)) {
        return template.path("template");
      }
    }
    return templates.path(0).path("template");
  }

  /**
   * Returns the template of a file, with this model's special tokens.
   *
   * @throws IOException if it cannot be read or run; the message names file, line and reason
   */
  public ChatTemplate file(Path file) throws IOException {
    try {
      return jinja(file.toString(), Files.readString(file));
    } catch (CharacterCodingException e) {
      throw new IOException("the chat template must be text in UTF-8: file=" + file, e);
    }
  }

  private ChatTemplate jinja(String name, String source) throws IOException {
    if (source.isBlank()) {
      throw new IOException("the chat template must not be empty: file=" + name);
    }
    return JinjaTemplate.of(name, source, specialTokens());
  }

  /** A special token is a text, or an object with the text in {@code content}. */
  private Map<String, String> specialTokens() {
    final Map<String, String> tokens = new LinkedHashMap<>();
    for (String name : SPECIAL_TOKENS) {
      final JsonNode token = config.path(name);
      final JsonNode text = token.isObject() ? token.path("content") : token;
      if (text.isString()) {
        tokens.put(name, text.stringValue());
      }
    }
    return tokens;
  }
}
