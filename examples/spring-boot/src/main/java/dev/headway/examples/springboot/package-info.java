/** A Spring Boot application around an engine; the same sources run on Boot 3.5 and 4.1. */
package dev.headway.examples.springboot;
