package dev.headway.cli.bench;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import dev.headway.loadgen.client.BodyOptions;
import dev.headway.loadgen.client.Endpoint;
import dev.headway.loadgen.client.HttpOptions;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Which server, and how it is spoken to. */
final class TargetOptions {

  private static final int MOST_THREADS = 64;

  @Option(
      names = {"--url", "--base-url"},
      paramLabel = "URL",
      description = "The server or router (${DEFAULT-VALUE}).")
  private URI url = URI.create("http://127.0.0.1:8000");

  @Option(
      names = "--self-test",
      description =
          "Send to a server in this process that answers at once, to see what this program can do"
              + " on this machine.")
  private boolean selfTest;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "completions, or chat; openai and openai-chat are the same (${DEFAULT-VALUE}).")
  private String endpoint = "completions";

  @Option(names = "--endpoint", paramLabel = "NAME", hidden = true, description = "--backend.")
  private @Nullable String formerEndpoint;

  @Option(
      names = "--served-model-name",
      paramLabel = "NAME",
      description = "What clients call the model (the first that the server has).")
  private @Nullable String model;

  @Option(names = "--model", paramLabel = "NAME", hidden = true, description = "As in vllm bench.")
  private @Nullable String vllmModel;

  @Option(
      names = "--api-key",
      paramLabel = "KEY",
      defaultValue = "${env:OPENAI_API_KEY}",
      description = "Sent as a bearer token (the variable OPENAI_API_KEY).")
  private @Nullable String apiKey;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Sent with every request; repeat it.")
  private Map<String, String> headers = new LinkedHashMap<>();

  @Option(names = "--no-stream", description = "Ask for whole answers.")
  private boolean whole;

  @InRange(from = 0)
  @Option(
      names = "--temperature",
      paramLabel = "T",
      description = "Sent with every request (left to the server).")
  private @Nullable Double temperature;

  @Option(
      names = "--no-ignore-eos",
      description =
          "Let the model end before the length that is asked for, as loads with texts do anyhow.")
  private boolean endsByItself;

  @Option(
      names = "--extra-body",
      paramLabel = "JSON",
      description = "Further fields of every request, an object.")
  private @Nullable String extra;

  @Option(
      names = "--no-timing",
      description = "Do not ask the server for its instants; columns that need them stay empty.")
  private boolean noTiming;

  @InRange(from = 0, above = true)
  @Option(
      names = "--request-timeout",
      paramLabel = "SECONDS",
      description = "After which a request is given up (${DEFAULT-VALUE}).")
  private double timeoutSeconds = 21_600;

  @InRange(from = 1, to = MOST_THREADS)
  @Option(
      names = "--io-threads",
      paramLabel = "N",
      description = "Threads that read and write (${DEFAULT-VALUE}).")
  private int threads = 1;

  boolean isSelfTest() {
    return selfTest;
  }

  /** How the server is spoken to; {@code canned} is the address of the one in this process. */
  HttpOptions http(@Nullable URI canned, CommandMessages messages) {
    try {
      return new HttpOptions(
          canned == null ? url : canned, headers, apiKey, timeoutSeconds, threads);
    } catch (IllegalArgumentException e) {
      throw messages.wrong("--url: " + e.getMessage());
    }
  }

  Endpoint endpoint(CommandMessages messages) {
    final String chosen = formerEndpoint == null ? endpoint : formerEndpoint;
    return switch (chosen.toLowerCase(Locale.ROOT)) {
      case "completions", "openai", "vllm", "/v1/completions" -> Endpoint.COMPLETIONS;
      case "chat", "openai-chat", "/v1/chat/completions" -> Endpoint.CHAT;
      default -> throw messages.wrong("--backend must be completions or chat: --backend=" + chosen);
    };
  }

  /** The model that is named, or null. */
  @Nullable String model() {
    return model == null ? vllmModel : model;
  }

  /** What every body has, for a model. */
  BodyOptions bodies(String of, boolean hasTexts, CommandMessages messages) {
    return new BodyOptions(
        endpoint(messages),
        of,
        !whole,
        !endsByItself && !hasTexts,
        temperature,
        !noTiming,
        extra(messages));
  }

  private @Nullable ObjectNode extra(CommandMessages messages) {
    if (extra == null) {
      return null;
    }
    try {
      final JsonNode json = JsonMapper.shared().readTree(extra);
      if (json instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      throw messages.wrong("--extra-body must be an object in JSON: " + e.getOriginalMessage());
    }
    throw messages.wrong("--extra-body must be an object in JSON: --extra-body=" + extra);
  }
}
