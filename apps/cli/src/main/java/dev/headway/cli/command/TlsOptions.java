package dev.headway.cli.command;

import dev.headway.http.ServerTls;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a server encrypts with, on the command line. Names are vLLM's. */
final class TlsOptions {

  @Needs("--ssl-keyfile")
  @Option(
      names = "--ssl-certfile",
      paramLabel = "FILE",
      description =
          "Listen for https with this certificate in PEM, and those behind it that vouch for it"
              + " (none: http). Read once, at the start.")
  private @Nullable Path certificates;

  @Needs("--ssl-certfile")
  @Option(
      names = "--ssl-keyfile",
      paramLabel = "FILE",
      description = "Its private key in PEM: PKCS#8 without a password.")
  private @Nullable Path key;

  private @Nullable ServerTls read;

  /** As they come. */
  TlsOptions() {}

  /**
   * What encrypts; null for none.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  @Nullable ServerTls tls() {
    if (certificates == null || key == null) {
      return null;
    }
    try {
      read = read == null ? ServerTls.of(certificates, key) : read;
      return read;
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(
          "--ssl-certfile must be a file that is there: --ssl-certfile=" + certificates, e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--ssl-certfile and --ssl-keyfile must be a certificate and its key: " + e.getMessage(),
          e);
    }
  }
}
