package dev.headway.serving.chat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an option says that names a chat template. Stateless. */
public final class TemplateChoice {

  private TemplateChoice() {}

  /**
   * Returns the template to use.
   *
   * @param option what the user calls it, for messages
   * @param asked a built-in template's name or a file; null for the model's own, or the plain one
   * @throws IOException if the template cannot be run; the message names file, line and reason
   * @throws IllegalArgumentException if there is no such file
   */
  public static ChatTemplate of(String option, @Nullable String asked, ModelTemplates templates)
      throws IOException {
    if (asked == null) {
      return own(option, templates);
    }
    final Optional<BuiltInTemplate> builtIn = BuiltInTemplate.named(asked);
    if (builtIn.isPresent()) {
      return builtIn.get();
    }
    if (!Files.isRegularFile(Path.of(asked))) {
      throw new IllegalArgumentException(
          option
              + " must be a file or one of "
              + BuiltInTemplate.labels()
              + ": "
              + option
              + "="
              + asked);
    }
    return templates.file(Path.of(asked));
  }

  private static ChatTemplate own(String option, ModelTemplates templates) throws IOException {
    try {
      return templates.own().orElse(BuiltInTemplate.PLAIN);
    } catch (IOException e) {
      throw new IOException(
          e.getMessage()
              + "; "
              + option
              + " takes another: a file, or one of "
              + BuiltInTemplate.labels(),
          e);
    }
  }
}
