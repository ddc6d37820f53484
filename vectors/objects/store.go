package objects

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// Variable is the environment variable that holds the address of the gateway.
const Variable = "KNNG_OBJECTS"

// ErrNoGateway says that an object is named and no gateway runs.
var ErrNoGateway = errors.New("it is in an object store, which only \"python -m knng.cluster\" reaches: see its help, or copy it to a disk")

// Is reports whether a path is the address of an object: SCHEME://REST.
func Is(path string) bool {
	scheme, rest, found := strings.Cut(path, "://")
	return found && scheme != "" && rest != "" && !strings.ContainsAny(scheme, `/\.`)
}

// request asks the gateway. The caller closes the body of the answer.
func request(method, what, at string, form url.Values, header http.Header) (*http.Response, error) {
	gateway := os.Getenv(Variable)
	if gateway == "" {
		return nil, fmt.Errorf("objects: %s: %w", at, ErrNoGateway)
	}
	if form == nil {
		form = url.Values{}
	}
	form.Set("at", at)
	r, err := http.NewRequest(method, strings.TrimSuffix(gateway, "/")+"/"+what+"?"+form.Encode(), nil)
	if err != nil {
		return nil, fmt.Errorf("objects: %s is %q: %w", Variable, gateway, err)
	}
	if header != nil {
		r.Header = header
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("objects: %s: %w", at, err)
	}
	if answer.StatusCode == http.StatusOK || answer.StatusCode == http.StatusPartialContent {
		return answer, nil
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusNotFound {
		return nil, fmt.Errorf("objects: %s: %w", at, fs.ErrNotExist)
	}
	why, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // as much as comes
	return nil, fmt.Errorf("objects: %s: %s", at, cmp.Or(strings.TrimSpace(string(why)), answer.Status))
}

// done asks for something whose answer is empty.
func done(method, at string, form url.Values) error {
	answer, err := request(method, "object", at, form, nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// Size is the size of an object in bytes; where there is none the error is fs.ErrNotExist.
func Size(at string) (int64, error) {
	answer, err := request(http.MethodGet, "size", at, nil, nil)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var size int64
	if _, err := fmt.Fscan(answer.Body, &size); err != nil || size < 0 {
		return 0, fmt.Errorf("objects: %s: the gateway tells no size (%d, %v)", at, size, err)
	}
	return size, nil
}

// readAt fills buf with the bytes of an object from some byte on.
func readAt(at string, buf []byte, from int64) error {
	if len(buf) == 0 {
		return nil
	}
	header := http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", from, from+int64(len(buf))-1)}}
	answer, err := request(http.MethodGet, "object", at, nil, header)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusPartialContent {
		return fmt.Errorf("objects: %s: a range was asked for, the answer is %s", at, answer.Status)
	}
	if _, err := io.ReadFull(answer.Body, buf); err != nil {
		return fmt.Errorf("objects: %s: bytes %d to %d: %w", at, from, from+int64(len(buf)), err)
	}
	return nil
}

// Read returns the bytes of an object from one byte up to another.
func Read(at string, from, to int64) ([]byte, error) {
	buf := make([]byte, to-from)
	return buf, readAt(at, buf, from)
}

// Put stores a local file as an object: whole, in place of one that is there, or not at all.
func Put(at, file string) error {
	return done(http.MethodPost, at, url.Values{"from": {file}})
}

// List returns the names of the objects directly below an address; none where there are none.
func List(at string) ([]string, error) {
	answer, err := request(http.MethodGet, "list", at, nil, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("objects: %s: %w", at, err)
	}
	return strings.Fields(string(text)), nil
}

// Remove removes all objects below an address; where there are none it does nothing.
func Remove(at string) error {
	if err := done(http.MethodDelete, at, nil); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
