package dev.headway.cli.command;

import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.chat.ModelTemplates;
import dev.headway.serving.chat.TemplateChoice;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The option that names a chat template. Stateless. */
public final class ChatTemplateOption {

  /** What it is called. */
  public static final String NAME = "--chat-template";

  private ChatTemplateOption() {}

  /**
   * Returns the template to use.
   *
   * @param value the option's; null if it is not given
   * @param model the model's folder; null for the built-in model
   * @throws IOException if the template cannot be run
   * @throws IllegalArgumentException if there is no such template
   */
  public static ChatTemplate template(@Nullable String value, @Nullable Path model)
      throws IOException {
    return TemplateChoice.of(
        NAME, value, model == null ? ModelTemplates.none() : ModelTemplates.of(model));
  }
}
