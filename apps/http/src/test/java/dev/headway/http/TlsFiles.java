package dev.headway.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate of {@code localhost} and its key, made by the JDK's own tool, and who trusts it.
 */
public final class TlsFiles {

  private static final String PASSWORD = "changeit";

  private final Path folder;
  private final KeyStore store;

  private TlsFiles(Path folder, KeyStore store) {
    this.folder = folder;
    this.store = store;
  }

  /** Makes them in a folder. */
  public static TlsFiles in(Path folder) throws Exception {
    final Path stored = folder.resolve("store.p12");
    final Process tool =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=localhost",
                    "-ext",
                    "san=dns:localhost,ip:127.0.0.1",
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    stored.toString(),
                    "-storepass",
                    PASSWORD,
                    "-alias",
                    "own"))
            .redirectErrorStream(true)
            .start();
    final String said = new String(tool.getInputStream().readAllBytes());
    if (tool.waitFor() != 0) {
      throw new IllegalStateException("keytool failed: " + said);
    }
    final KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(stored)) {
      store.load(in, PASSWORD.toCharArray());
    }
    final TlsFiles made = new TlsFiles(folder, store);
    write(made.certificate(), "CERTIFICATE", store.getCertificate("own").getEncoded());
    write(made.key(), "PRIVATE KEY", store.getKey("own", PASSWORD.toCharArray()).getEncoded());
    return made;
  }

  private static void write(Path file, String what, byte[] content) throws IOException {
    final String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
  }

  /** The certificate in PEM. */
  public Path certificate() {
    return folder.resolve("certificate.pem");
  }

  /** Its key in PEM. */
  public Path key() {
    return folder.resolve("key.pem");
  }

  /** A client that trusts it and nothing else. */
  public SSLContext trusting() throws GeneralSecurityException, IOException {
    final KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("own", store.getCertificate("own"));
    final TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    final SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
