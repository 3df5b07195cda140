package io.delayqueue.dashboard.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.web.util.HtmlUtils;

/**
 * The page and its files on the class path. One hash of all files is part of their path, so that browsers may keep them for ever, and
 * scripts import each other by relative names. Immutable.
 */
public final class DashboardAssets {

    /** Where the files are: not where Spring Boot would serve them by itself. */
    public static final String LOCATION = "classpath:/META-INF/delayqueue/dashboard/assets/";

    private static final String PAGE = "classpath:/META-INF/delayqueue/dashboard/index.html";
    private static final int HASH_BYTES = 8;
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([A-Za-z]+)}");

    private final String template;
    private final String hash;

    private DashboardAssets(String template, String hash) {
        this.template = template;
        this.hash = hash;
    }

    /** Reads all files once. */
    public static DashboardAssets load(ClassLoader loader) {
        PathMatchingResourcePatternResolver resources = new PathMatchingResourcePatternResolver(loader);
        try {
            String template = resources.getResource(PAGE).getContentAsString(StandardCharsets.UTF_8);
            return new DashboardAssets(template, hash(resources));
        } catch (IOException e) {
            throw new UncheckedIOException("the dashboard's files can't be read from " + LOCATION, e);
        }
    }

    private static String hash(PathMatchingResourcePatternResolver resources) throws IOException {
        List<Resource> files = Arrays.stream(
                        resources.getResources("classpath*:/META-INF/delayqueue/dashboard/assets/**"))
                .filter(Resource::isReadable)
                .sorted(Comparator.comparing(DashboardAssets::name))
                .toList();
        MessageDigest digest = sha256();
        for (Resource file : files) {
            digest.update(name(file).getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            digest.update(file.getContentAsByteArray());
        }
        return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
    }

    private static String name(Resource file) {
        try {
            String url = file.getURL().toString();
            return url.substring(url.lastIndexOf("/META-INF/delayqueue/dashboard/assets/"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Path of the files below the dashboard's. */
    public String path() {
        return "/assets/" + hash;
    }

    /** The page with these values, escaped, in the place of their names. */
    String page(Map<String, String> values) {
        Matcher names = PLACEHOLDER.matcher(template);
        return names.replaceAll(name -> Matcher.quoteReplacement(
                HtmlUtils.htmlEscape(values.getOrDefault(name.group(1), name.group()), "UTF-8")));
    }
}
