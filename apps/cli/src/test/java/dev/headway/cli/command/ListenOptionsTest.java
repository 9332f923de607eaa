package dev.headway.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.ServerTls;
import dev.headway.http.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The address that a server prints is one that a client can be given. */
class ListenOptionsTest {

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, http://127.0.0.1:8000",
    "192.0.2.7, http://192.0.2.7:8000",
    "0.0.0.0, http://127.0.0.1:8000",
    "::, http://127.0.0.1:8000",
    "::1, http://[0:0:0:0:0:0:0:1]:8000"
  })
  void shouldPrintAnAddressThatAClientTakes(String host, String url) throws UnknownHostException {
    assertThat(ListenOptions.url(new InetSocketAddress(InetAddress.getByName(host), 8_000), null))
        .isEqualTo(url);
  }

  @Test
  void shouldSayThatConnectionsAreEncrypted(@TempDir Path folder) throws Exception {
    final TlsFiles files = TlsFiles.in(folder);

    final String url =
        ListenOptions.url(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 8_000),
            ServerTls.of(files.certificate(), files.key()));

    assertThat(url).isEqualTo("https://127.0.0.1:8000");
  }
}
