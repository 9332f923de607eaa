package dev.headway.server;

import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.chat.ModelTemplates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What {@code --chat-template} says. */
public final class TemplateChoice {

  private TemplateChoice() {}

  /**
   * Returns the template to use.
   *
   * @param asked a built-in template's name or a file; null for the model's own, or the plain one
   * @throws IOException if the template cannot be run; the message names file, line and reason
   * @throws IllegalArgumentException if there is no such file
   */
  public static ChatTemplate of(@Nullable String asked, ModelTemplates templates)
      throws IOException {
    if (asked == null) {
      return own(templates);
    }
    final Optional<BuiltInTemplate> builtIn = BuiltInTemplate.named(asked);
    if (builtIn.isPresent()) {
      return builtIn.get();
    }
    if (!Files.isRegularFile(Path.of(asked))) {
      throw new IllegalArgumentException(
          "--chat-template must be a file or one of "
              + BuiltInTemplate.labels()
              + ": --chat-template="
              + asked);
    }
    return templates.file(Path.of(asked));
  }

  private static ChatTemplate own(ModelTemplates templates) throws IOException {
    try {
      return templates.own().orElse(BuiltInTemplate.PLAIN);
    } catch (IOException e) {
      throw new IOException(
          e.getMessage()
              + "; --chat-template takes another: a file, or one of "
              + BuiltInTemplate.labels(),
          e);
    }
  }
}
