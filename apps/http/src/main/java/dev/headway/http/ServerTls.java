package dev.headway.http;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;

/**
 * What a server shows its clients, and encrypts with: TLS 1.3 and 1.2 of the JDK, with its ciphers.
 * Immutable; any thread.
 */
public final class ServerTls {

  private final SslContext context;

  private ServerTls(SslContext context) {
    this.context = context;
  }

  /**
   * Reads a certificate and its key, once.
   *
   * @param certificates the server's in PEM, first, and those that vouch for it behind
   * @param key its private key in PEM, PKCS#8 and not encrypted
   * @throws IOException if one of the files cannot be read or is not that; the message says which
   */
  public static ServerTls of(Path certificates, Path key) throws IOException {
    requireCurrent(certificates);
    try {
      return new ServerTls(
          SslContextBuilder.forServer(certificates.toFile(), key.toFile())
              .sslProvider(SslProvider.JDK)
              .protocols("TLSv1.3", "TLSv1.2")
              .build());
    } catch (IllegalArgumentException | SSLException e) {
      final String why = String.valueOf(e.getCause() == null ? e : e.getCause().getMessage());
      throw new IOException(
          "the key must be that of the certificate, in PEM as PKCS#8 without a password (BEGIN"
              + " PRIVATE KEY; openssl pkcs8 -topk8 -nocrypt makes it of others): key="
              + key
              + ": "
              + why,
          e);
    }
  }

  /** Clients would refuse another, each for itself. */
  private static void requireCurrent(Path certificates) throws IOException {
    try (InputStream in = Files.newInputStream(certificates)) {
      final X509Certificate own =
          (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
      own.checkValidity();
    } catch (CertificateException e) {
      throw new IOException(
          "the certificate must be one in PEM, and of this day: file="
              + certificates
              + ": "
              + e.getMessage(),
          e);
    }
  }

  /** What encrypts a connection. */
  SslHandler handler(ByteBufAllocator buffers) {
    return context.newHandler(buffers);
  }
}
