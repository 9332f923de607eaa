package dev.headway.cli.route;

import dev.headway.cli.command.ChatTemplateOption;
import dev.headway.cli.command.Needs;
import dev.headway.router.kvcache.CacheOptions;
import dev.headway.router.prompt.PromptTokenizer;
import dev.headway.routing.kvevents.KvEventIndex;
import dev.headway.serving.chat.ChatMessage;
import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import dev.headway.serving.tokenizer.FileTokenizer;
import dev.headway.serving.tokenizer.Tokenizer;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code headway route} knows of the workers' KV caches, on the command line. */
final class CacheChoice {

  private static final String BYTES = "bytes";

  @Option(
      names = "--kv-events",
      description =
          "Follow the KV events of the workers: where the --workers-file says, or a worker's"
              + " /server_info. precise-prefix needs them, kv-cost and predicted-latency gain.")
  private boolean kvEvents;

  @Option(
      names = "--tokenizer-path",
      paramLabel = "DIR|bytes",
      description =
          "Folder with the model's tokenizer.json, to compare texts with KV events, which name"
              + " tokens; bytes is that of the built-in model (none: only prompts sent as tokens).")
  private @Nullable String tokenizerPath;

  @Needs("--tokenizer-path")
  @Option(
      names = ChatTemplateOption.NAME,
      paramLabel = "NAME|FILE",
      description =
          "The workers' chat template, as headway serve takes it (the tokenizer folder's own, or"
              + " plain if it has none).")
  private @Nullable String chatTemplate;

  /**
   * What was asked for.
   *
   * @throws IOException if the tokenizer or the template cannot be read
   */
  CacheOptions options() throws IOException {
    return new CacheOptions(
        kvEvents ? new KvEventIndex() : null,
        tokenizerPath == null ? null : tokenizer(tokenizerPath));
  }

  /** Lines for the start, each with its end; empty if nothing was asked for. */
  String describe() {
    return (kvEvents ? "  KV events followed where workers publish them\n" : "")
        + (tokenizerPath == null ? "" : "  tokenizer " + tokenizerPath + template() + "\n");
  }

  private String template() {
    return chatTemplate == null ? "" : ", chat template " + chatTemplate;
  }

  private PromptTokenizer tokenizer(String path) throws IOException {
    final Path folder = path.equals(BYTES) ? null : Path.of(path);
    return new ModelPrompts(
        folder == null ? new ByteTokenizer() : FileTokenizer.open(folder),
        ChatTemplateOption.template(chatTemplate, folder));
  }

  /** Prompts as {@code headway serve} reads them. */
  private record ModelPrompts(Tokenizer tokenizer, ChatTemplate template)
      implements PromptTokenizer {
    @Override
    public int[] completion(String prompt) {
      return tokenizer.encode(prompt, SpecialTokens.ADDED);
    }

    @Override
    public int[] chat(List<Message> messages) {
      final List<ChatMessage> all =
          messages.stream().map(each -> new ChatMessage(each.role(), each.content())).toList();
      return tokenizer.encode(template.render(all), template.specialTokens());
    }
  }
}
